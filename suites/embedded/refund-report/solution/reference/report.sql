WITH placed AS (
    SELECT c.region_id,
        (SELECT coalesce(sum(i.quantity * i.cents), 0) FROM item i WHERE i.purchase_id = p.id) AS gross,
        (SELECT coalesce(sum(f.cents), 0) FROM refund f WHERE f.purchase_id = p.id AND f.approved = 1) AS refunded
    FROM purchase p JOIN customer c ON c.id = p.customer_id
    WHERE substr(p.placed, 1, 7) = :month AND p.cancelled = 0
)
SELECT r.name AS region,
    count(p.region_id) AS orders,
    coalesce(sum(p.gross), 0) AS gross,
    coalesce(sum(p.refunded), 0) AS refunded,
    coalesce(sum(p.gross - p.refunded), 0) AS net
FROM region r LEFT JOIN placed p ON p.region_id = r.id
GROUP BY r.id
ORDER BY net DESC, r.name
