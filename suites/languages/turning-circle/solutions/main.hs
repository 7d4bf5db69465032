leave :: Int -> Int -> Int -> [Int] -> [Int]
leave _ _ _ [] = []
leave k turn at people = person : leave (k + 1) (turn + 1) place (before ++ after)
  where
    size = length people
    place = if even turn then (at + k - 1) `mod` size else (at - k) `mod` size
    (before, person : after) = splitAt place people

main :: IO ()
main = do
  [n, k] <- map read . words <$> getContents
  let (remaining : gone) = reverse (leave k (0 :: Int) 0 [1 .. n])
  putStrLn (show remaining ++ " " ++ show (sum (take 3 gone)))
