"""Function-level problems (HumanEval, EvalPlus, MBPP, LiveCodeBench) as suites, and samples for them."""
