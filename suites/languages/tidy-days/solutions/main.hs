digits :: Int -> Int
digits 0 = 0
digits n = n `mod` 10 + digits (n `div` 10)

days :: Int -> Int -> Int
days year 2 = if year `mod` 4 == 0 && (year `mod` 100 /= 0 || year `mod` 400 == 0) then 29 else 28
days _ month = if month `elem` [4, 6, 9, 11] then 30 else 31

main :: IO ()
main = do
  [a, b] <- map read . words <$> getContents
  let calendar = [(y, m, d) | y <- [1600 .. b], m <- [1 .. 12], d <- [1 .. days y m]]
      tidy (w, (y, m, d)) = y >= a && (digits d + digits m + digits y) `mod` w == 0
  print (length (filter tidy (zip (cycle [6, 7, 1, 2, 3, 4, 5]) calendar)))
