import Data.Char (digitToInt)
import qualified Data.Map.Strict as Map
import qualified Data.Set as Set

type State = (Int, Int, Int)

main :: IO ()
main = do
  (r : c : lines') <- words <$> getContents
  let rows = read r :: Int
      columns = read c :: Int
      tolls = Map.fromList [((y, x), digitToInt d) | (y, line) <- zip [0 ..] lines', (x, d) <- zip [0 ..] line]
      moves = zip [0 ..] [(0, 1), (1, 0), (0, -1), (-1, 0)]
      go :: Set.Set (Int, State) -> Set.Set State -> Int
      go waiting done =
        let ((paid, at@(y, x, came)), rest) = Set.deleteFindMin waiting
            next =
              [ (paid + toll + (if came /= 4 && came /= d then 3 else 0), (y + dy, x + dx, d))
              | (d, (dy, dx)) <- moves,
                Just toll <- [Map.lookup (y + dy, x + dx) tolls]
              ]
         in if (y, x) == (rows - 1, columns - 1)
              then paid
              else
                if Set.member at done
                  then go rest done
                  else go (foldr Set.insert rest next) (Set.insert at done)
  print (go (Set.singleton (0, (0, 0, 4))) Set.empty)
