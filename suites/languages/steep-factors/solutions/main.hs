import Data.Array.Unboxed

leasts :: Int -> UArray Int Int
leasts n = accumArray (\old new -> if old == 0 then new else old) 0 (2, n) [(m, p) | p <- [2 .. n], isPrime p, m <- [p, 2 * p .. n]]

isPrime :: Int -> Bool
isPrime p = all (\d -> p `mod` d /= 0) (takeWhile (\d -> d * d <= p) [2 ..])

main :: IO ()
main = do
  n <- readLn
  let least = leasts n
      steep last' rest = rest == 1 || (least ! rest >= 2 * last' && steep (least ! rest) (rest `div` (least ! rest)))
      found = filter (steep 0) [2 .. n]
  putStrLn (show (length found) ++ " " ++ show (sum found))
