modulus :: Int
modulus = 1000000007

step :: Int -> [[Int]] -> [[Int]]
step m ways = zipWith (\begun row -> begun : take (m - 1) row) [(b + c) `mod` modulus, (a + c) `mod` modulus, b] ways
  where
    [a, b, c] = map ((`mod` modulus) . sum) ways

main :: IO ()
main = do
  [n, m] <- map read . words <$> getContents
  let first = replicate 3 (1 : replicate (m - 1) 0)
  print (sum (concat (iterate (step m) first !! (n - 1))) `mod` modulus)
