/** IAM in front of the tables and the key: each call is checked against the role of the function that makes it. */
import type { FunctionName } from '../../cdk/names.ts';
import { memoize } from '../../machinery/api/memoize.ts';
import type { ItemKey, Keys, Table, Write } from '../../machinery/ports.ts';
import { isAllowed } from './iam.fixture.ts';
import { resources, statementsOf } from './permissions.fixture.ts';

export interface Role {
  /** Undefined for calls of no function, which may do everything. */
  of(): FunctionName | undefined;
  /** Called with what the role does not allow. */
  denied(what: string): void;
}

type Context = Record<string, string | readonly string[]>;

const deniedBy = memoize(100_000, (request: string): string | undefined => {
  const [fn, action, resource, context] = JSON.parse(request) as [FunctionName, string, string, Context];
  return isAllowed(statementsOf(fn), { action, resource, context })
    ? undefined
    : `the role of ${fn} does not allow ${action} with ${JSON.stringify(context)}`;
});

const check = ({ of, denied }: Role, action: string, resource: string, context: Context): void => {
  const fn = of();
  const what = fn && deniedBy(JSON.stringify([fn, action, resource, context]));
  if (what !== undefined) denied(what);
};

const actionOf = (write: Write): { action: string; key: ItemKey } => {
  if ('put' in write) return { action: 'dynamodb:PutItem', key: write.put as unknown as ItemKey };
  if ('update' in write) return { action: 'dynamodb:UpdateItem', key: write.update };
  if ('delete' in write) return { action: 'dynamodb:DeleteItem', key: write.delete };
  return { action: 'dynamodb:ConditionCheckItem', key: write.check };
};

export const tableUnderRole = (role: Role, table: 'objects' | 'work', inner: Table): Table => {
  const on = (action: string, pk: string) =>
    check(role, action, resources.tables[table], { 'dynamodb:LeadingKeys': [pk] });
  const writes = (write: Write) => {
    const { action, key } = actionOf(write);
    on(action, key.pk);
  };
  return {
    get: (key, options) => {
      on('dynamodb:GetItem', key.pk);
      return inner.get(key, options);
    },
    query: (query) => {
      on('dynamodb:Query', query.pk);
      return inner.query(query);
    },
    write: (write) => {
      writes(write);
      return inner.write(write);
    },
    transact: (token, all) => {
      for (const write of all) writes(write);
      return inner.transact(token, all);
    },
  };
};

export const keysUnderRole = (role: Role, inner: Keys): Keys => {
  const on = (action: string, context: Record<string, string>) =>
    check(role, action, resources.key, {
      ...Object.fromEntries(Object.entries(context).map(([name, value]) => [`kms:EncryptionContext:${name}`, value])),
      'kms:EncryptionContextKeys': Object.keys(context),
    });
  return {
    dataKey: (context) => {
      on('kms:GenerateDataKey', context);
      return inner.dataKey(context);
    },
    unwrap: (wrapped, context) => {
      on('kms:Decrypt', context);
      return inner.unwrap(wrapped, context);
    },
  };
};
