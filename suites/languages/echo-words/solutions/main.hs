import Data.List (isInfixOf, tails)

main :: IO ()
main = do
  text <- head . words <$> getContents
  let echoes size = [part | rest <- tails text, let (part, more) = splitAt size rest, length part == size, part `isInfixOf` more]
      found = [(size, minimum parts) | size <- [length text `div` 2, length text `div` 2 - 1 .. 1], let parts = echoes size, not (null parts)]
  putStrLn (case found of
    [] -> "0 -"
    ((size, part) : _) -> show size ++ " " ++ part)
