/** As much of DynamoDB as the Table port asks for: items in memory, with conditions, updates and queries. */
type Value = { S?: string; N?: string; [type: string]: unknown };
type Item = Record<string, Value>;
interface Asked {
  TableName: string;
  Key?: Item;
  Item?: Item;
  UpdateExpression?: string;
  ConditionExpression?: string;
  KeyConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, Value>;
  ScanIndexForward?: boolean;
  TransactItems?: Record<string, Asked>[];
}

const plain = ({ N, S, ...rest }: Value): unknown => (N === undefined ? (S ?? JSON.stringify(rest)) : Number(N));

/** The value of an expression without calls of functions but those of attributes. */
const holds = (expression: string | undefined, item: Item | undefined, asked: Asked): boolean => {
  if (expression === undefined) return true;
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = asked;
  const of = (name: string) => item?.[names[name]!];
  const compare = (name: string, is: string, value: string): boolean => {
    const found = of(name);
    if (found === undefined) return is === '<>';
    const [a, b] = [plain(found), plain(values[value]!)] as [number, number];
    return { '=': a === b, '<>': a !== b, '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b }[is]!;
  };
  const text = expression
    .replaceAll(/attribute_not_exists\((#\w+)\)/g, (_, name: string) => String(of(name) === undefined))
    .replaceAll(/attribute_exists\((#\w+)\)/g, (_, name: string) => String(of(name) !== undefined))
    .replaceAll(/(#\w+) BETWEEN (:\w+) AND (:\w+)/g, (_, name: string, from: string, to: string) =>
      String(compare(name, '>=', from) && compare(name, '<=', to)),
    )
    .replaceAll(/(#\w+) (=|<>|<=?|>=?) (:\w+)/g, (_, name: string, is: string, value: string) =>
      String(compare(name, is, value)),
    );
  return truth(text);
};

/** Of `true`, `false`, AND, OR and parentheses. */
const truth = (text: string): boolean => {
  const inner = /\(([^()]*)\)/.exec(text);
  if (inner) return truth(text.replace(inner[0], String(truth(inner[1]!))));
  return text.split(' OR ').some((part) => part.split(' AND ').every((one) => one.trim() === 'true'));
};

export const createDynamo = () => {
  const items = new Map<string, Item>();
  const idOf = (table: string, { pk, sk }: Item) => `${table} ${pk?.S} ${sk?.S}`;

  const updated = (asked: Asked, before: Item): Item => {
    const {
      UpdateExpression = '',
      ExpressionAttributeNames: names = {},
      ExpressionAttributeValues: values = {},
    } = asked;
    const after = { ...before };
    for (const [, clause, rest = ''] of UpdateExpression.matchAll(
      /\b(SET|ADD|REMOVE) (.*?)(?= (?:SET|ADD|REMOVE) |$)/g,
    ))
      for (const part of rest.split(', ')) {
        const [name = '', ...more] = part.split(' ');
        const [key, value] = [names[name]!, values[more.at(-1) ?? '']];
        if (clause === 'REMOVE') delete after[key];
        else if (clause === 'SET') after[key] = value!;
        else after[key] = { N: String(Number(after[key]?.N ?? 0) + Number(value?.N)) };
      }
    return after;
  };
  type Kind = 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
  /** The change of one item; undefined if its condition does not hold. */
  const change = (kind: Kind, asked: Asked): (() => Item | undefined) | undefined => {
    const id = idOf(asked.TableName, asked.Item ?? asked.Key!);
    const before = items.get(id);
    if (!holds(asked.ConditionExpression, before, asked)) return undefined;
    return () => {
      if (kind === 'Delete') items.delete(id);
      if (kind === 'Put') items.set(id, asked.Item!);
      if (kind === 'Update') items.set(id, updated(asked, before ?? asked.Key!));
      return items.get(id);
    };
  };
  const refused = (type: string, more: object = {}) => ({
    status: 400,
    body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'The conditional request failed', ...more },
  });
  const write = (kind: Kind, asked: Asked) => {
    const act = change(kind, asked);
    return act ? { status: 200, body: { Attributes: act() } } : refused('ConditionalCheckFailedException');
  };
  const transact = ({ TransactItems = [] }: Asked) => {
    const acts = TransactItems.flatMap((one) => Object.entries(one)).map(([kind, asked]) =>
      change(kind as Kind, asked),
    );
    if (acts.includes(undefined))
      return refused('TransactionCanceledException', {
        CancellationReasons: acts.map((act) => ({ Code: act ? 'None' : 'ConditionalCheckFailed' })),
      });
    for (const act of acts) act!();
    return { status: 200, body: {} };
  };
  const query = (asked: Asked) => {
    const Items = [...items]
      .filter(([id, item]) => id.startsWith(`${asked.TableName} `) && holds(asked.KeyConditionExpression, item, asked))
      .map(([, item]) => item)
      .sort((a, b) => ((a.sk?.S ?? '') < (b.sk?.S ?? '') ? -1 : 1));
    if (asked.ScanIndexForward === false) Items.reverse();
    return { status: 200, body: { Items, Count: Items.length } };
  };

  /** The answer to a request. */
  return (action: string, asked: Asked): { status: number; body: object } => {
    if (action === 'GetItem') return { status: 200, body: { Item: items.get(idOf(asked.TableName, asked.Key!)) } };
    if (action === 'Query') return query(asked);
    if (action === 'TransactWriteItems') return transact(asked);
    return write(action.replace('Item', '') as Kind, asked);
  };
};
