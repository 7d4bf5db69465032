SELECT r.name AS region,
    count(p.id) AS orders,
    sum(i.quantity * i.cents) AS gross,
    sum(f.cents) AS refunded,
    sum(i.quantity * i.cents) - sum(f.cents) AS net
FROM region r
JOIN customer c ON c.region_id = r.id
JOIN purchase p ON p.customer_id = c.id
JOIN item i ON i.purchase_id = p.id
LEFT JOIN refund f ON f.purchase_id = p.id AND f.approved
WHERE substr(p.placed, 1, 7) = :month AND NOT p.cancelled
GROUP BY r.name
ORDER BY net DESC
