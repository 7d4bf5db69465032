# Lays manifests over each other: jq -n -f overlay.jq base.json site.json ...
def is_named:
  type == "array" and length > 0
  and all(.[]; type == "object" and (.name | type) == "string")
  and (map(.name) | length == (unique | length));

def lay($over):
  if type == "object" and ($over | type) == "object" then
    reduce ($over | keys_unsorted[]) as $key (.;
      if $over[$key] == null then delpaths([[$key]])
      elif has($key) then .[$key] |= lay($over[$key])
      else .[$key] = $over[$key]
      end)
  elif is_named and ($over | is_named) then
    reduce $over[] as $item (.;
      (map(.name) | index($item.name)) as $at
      | if ($item | has("drop")) then (if $at == null then . else delpaths([[$at]]) end)
        elif $at == null then . + [$item]
        else .[$at] |= lay($item)
        end)
  else $over
  end;

[inputs] | if length == 0 then empty else reduce .[1:][] as $over (.[0]; lay($over)) end
