import Data.Array.Unboxed
import Data.Bits (popCount)

main :: IO ()
main = do
  n <- readLn :: IO Int
  let switched = accumArray (+) 0 (1, n) [(lamp, 1) | i <- [1 .. n], even (popCount i), lamp <- [i, 2 * i .. n]] :: UArray Int Int
      lit = [lamp | (lamp, times) <- assocs switched, odd times]
  putStrLn (show (length lit) ++ " " ++ show (maximum (0 : lit)))
