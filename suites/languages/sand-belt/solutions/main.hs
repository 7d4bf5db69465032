import qualified Data.Map.Strict as Map

main :: IO ()
main = do
  [rows, columns, y, x, k] <- map read . words <$> getContents
  let around (r, c) = [(r - 1, c), (r + 1, c), (r, (c + 1) `mod` columns), (r, (c - 1) `mod` columns)]
      inside (r, _) = r >= 0 && r < rows
      settle sand =
        let high = Map.filter (>= 4) sand
            given = [(cell, grains `div` 4) | (from, grains) <- Map.toList high, cell <- around from, inside cell]
            rest = Map.map (\grains -> if grains >= 4 then grains `mod` 4 else grains) sand
         in if Map.null high then sand else settle (Map.unionWith (+) rest (Map.fromListWith (+) given))
      final = Map.elems (settle (Map.singleton (y, x) k)) :: [Int]
  putStrLn (show (sum final) ++ " " ++ show (length (filter (== 3) final)))
