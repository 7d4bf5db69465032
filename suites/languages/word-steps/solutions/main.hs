import Data.List (partition)

near :: String -> String -> Bool
near a b
  | length a == length b = length (filter id (zipWith (/=) a b)) == 1
  | otherwise = tail a == b || tail b == a

search :: String -> Int -> [String] -> [String] -> Int
search goal steps reached rest
  | goal `elem` reached = steps
  | null reached = -1
  | otherwise = search goal (steps + 1) next left
  where
    (next, left) = partition (\w -> any (near w) reached) rest

main :: IO ()
main = do
  (first : goal : _ : list) <- words <$> getContents
  print (search goal 0 [first] (filter (/= first) list))
