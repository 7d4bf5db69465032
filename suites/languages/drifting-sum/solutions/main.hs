main :: IO ()
main = do
  [a, b, n] <- map read . words <$> getContents :: IO [Integer]
  let go i x y = if i > n then y else go (i + 1) y (x + y + i)
      digits = show (go 3 a b)
  putStrLn (show (length digits) ++ " " ++ show (length (filter (== '7') digits)))
