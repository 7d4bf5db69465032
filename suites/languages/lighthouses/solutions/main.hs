pairs :: [Int] -> [(Int, Int)]
pairs (m : x : rest) = (m, x) : pairs rest
pairs _ = []

join :: Maybe (Int, Int) -> (Int, Int) -> Maybe (Int, Int)
join Nothing _ = Nothing
join (Just (t, step)) (m, x) = case filter (\s -> s `mod` m == x) [t + i * step | i <- [0 .. m - 1]] of
  [] -> Nothing
  (s : _) -> Just (s, lcm step m)

main :: IO ()
main = do
  numbers <- map read . words <$> getContents
  putStrLn (maybe "never" (show . fst) (foldl join (Just (0, 1)) (pairs (tail numbers))))
