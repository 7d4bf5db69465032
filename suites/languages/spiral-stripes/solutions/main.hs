spiral :: Int -> Int -> Int -> Int -> [(Int, Int)]
spiral top bottom left right
  | top > bottom || left > right = []
  | otherwise =
      [(top, c) | c <- [left .. right]]
        ++ [(r, right) | r <- [top + 1 .. bottom]]
        ++ [(bottom, c) | top < bottom, c <- [right - 1, right - 2 .. left]]
        ++ [(r, left) | left < right, r <- [bottom - 1, bottom - 2 .. top + 1]]
        ++ spiral (top + 1) (bottom - 1) (left + 1) (right - 1)

main :: IO ()
main = do
  [rows, columns, m] <- map read . words <$> getContents
  print (sum [value | (value, (r, c)) <- zip [1 ..] (spiral 0 (rows - 1) 0 (columns - 1)), (r + c) `mod` m == 0])
