import Data.Ratio

fractions :: [Integer] -> [Rational]
fractions (a : b : rest) = (a % b) : fractions rest
fractions _ = []

terms :: Integer -> Integer -> [Integer]
terms _ 0 = []
terms top bottom = top `div` bottom : terms bottom (top `mod` bottom)

main :: IO ()
main = do
  numbers <- map read . words <$> getContents
  let total = sum (fractions (tail numbers))
  putStrLn (unwords (map show (terms (numerator total) (denominator total))))
