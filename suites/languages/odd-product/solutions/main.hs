import Data.Char (digitToInt)

main :: IO ()
main = do
  n <- readLn :: IO Integer
  let digits = show (product [i * i + 1 | i <- [1 .. n]])
  putStrLn (show (length digits) ++ " " ++ show (sum (map digitToInt digits)))
