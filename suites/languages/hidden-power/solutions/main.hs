import Data.List (isInfixOf)

main :: IO ()
main = do
  [a, s] <- words <$> getContents
  print (head [e | e <- [1 :: Int ..], s `isInfixOf` show (read a ^ e :: Integer)])
