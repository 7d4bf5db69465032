import qualified Data.Set as Set

type Cell = (Int, Int)

flood :: (Cell -> [Cell]) -> [Cell] -> Set.Set Cell -> Set.Set Cell
flood _ [] land = land
flood around (cell : rest) land = flood around (next ++ rest) (foldr Set.delete land next)
  where
    next = filter (`Set.member` land) (around cell)

sizes :: (Cell -> [Cell]) -> Set.Set Cell -> [Int]
sizes around land = case Set.minView land of
  Nothing -> []
  Just (cell, others) -> let left = flood around [cell] others in (Set.size land - Set.size left) : sizes around left

main :: IO ()
main = do
  (r : c : cells) <- words <$> getContents
  let rows = read r
      columns = read c
      land = Set.fromList [(y, x) | (y, row) <- zip [0 ..] cells, (x, '#') <- zip [0 ..] row]
      around (y, x) = [((y + 1) `mod` rows, x), ((y - 1) `mod` rows, x), (y, (x + 1) `mod` columns), (y, (x - 1) `mod` columns)]
      found = sizes around land
  putStrLn (show (length found) ++ " " ++ show (maximum (0 : found)))
