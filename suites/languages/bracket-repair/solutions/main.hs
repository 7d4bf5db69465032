import Data.Array

main :: IO ()
main = do
  line <- head . words <$> getContents
  let n = length line
      text = listArray (0, n - 1) line
      table = array ((0, 0), (n, n)) [((i, j), cost i j) | i <- [0 .. n], j <- [0 .. n]]
      cost :: Int -> Int -> Int
      cost i j
        | i >= j = 0
        | otherwise = minimum ((table ! (i + 1, j) + 1) : [table ! (i + 1, k) + table ! (k + 1, j) | k <- [i + 1 .. j - 1], [text ! i, text ! k] `elem` ["()", "[]", "{}"]])
  print (table ! (0, n))
