import Data.Char (digitToInt)
import Data.List (foldl')

letters :: Int -> Int
letters n = n `div` 1000 + sum [[0, 1, 2, 3, 2, 1, 2, 3, 4, 2] !! digitToInt d | d <- show (n `mod` 1000)]

main :: IO ()
main = do
  [a, b] <- map read . words <$> getContents
  let (_, best) = foldl' (\(most, n) m -> if letters m > most then (letters m, m) else (most, n)) (0, 0) [a .. b]
  putStrLn (show (sum (map letters [a .. b])) ++ " " ++ show best)
