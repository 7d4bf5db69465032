import Data.List (foldl')

main :: IO ()
main = do
  values <- map read . tail . words <$> getContents :: IO [Int]
  let add best v =
        let (l, s) = maximum ((0, 0) : [(l', s') | (w, l', s') <- best, w < v, odd (v - w)])
            mine = (v, l + 1, s + v)
         in l `seq` s `seq` (mine : best)
      (size, total) = maximum [(l, s) | (_, l, s) <- foldl' add [] values]
  putStrLn (show (size :: Int) ++ " " ++ show total)
