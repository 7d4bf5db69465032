# Tells the team.
echo "result: $1" >> "$GITHUB_STEP_SUMMARY"
