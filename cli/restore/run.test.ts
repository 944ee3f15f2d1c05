import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { mockedClient } from '../../adapters/aws/service/sdk-mock.fixture.ts';
import { storedKey } from '../../adapters/installation/hold.ts';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { kindsOnDemand } from '../../kinds/on-demand.ts';
import { openStore } from '../../machinery/store/index.ts';
import { believed } from '../../runtime/position.ts';
import { restoreCommand } from '../commands/restore.ts';
import { interruptions } from '../interrupt.fixture.ts';
import type { Difference } from './objects.ts';
import { expectReadable, noticed, type RestoreOptions, restore, writeDifferences } from './run.ts';

const clusters = 'clusters.cluster.x-k8s.io';
const head = { sk: { S: '=head' } };
const key = (name: string) => ({ namespace: 'default', name });

const open = () => {
  const clock = virtualClock(Date.UTC(2026, 10, 26));
  const random = seededRandom(1);
  const table = memoryTable({ clock });
  const notifier = memoryNotifier(clock);
  const store = openStore({ table, clock, random, keys: memoryKeys(random), kinds: kindsOnDemand, notifier });
  const put = (name: string) =>
    store.commit(clusters, key(name), () => ({
      do: 'put',
      object: {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Cluster',
        metadata: { ...key(name), uid: `uid-of-${name}` },
      },
    }));
  const names = async () => (await store.list(clusters)).objects.map(({ metadata }) => metadata.name);
  const position = async () => (await table.get(storedKey, { consistent: true }))?.n;
  const installations = 'installations.capstan.dev';
  const install = (reason: string | undefined) =>
    store.commit(installations, { namespace: '', name: 'capstan' }, () => ({
      do: 'put',
      object: {
        apiVersion: 'capstan.dev/v1alpha1',
        kind: 'Installation',
        metadata: { name: 'capstan', uid: 'one' },
        ...(reason && { status: { frozen: { id: 'a', reason } } }),
      },
    }));
  const installation = async () => {
    const [object] = (await store.list(installations)).objects;
    return { annotations: object?.metadata.annotations, status: object?.status };
  };
  return { table, store, put, names, position, install, installation };
};

let printed: string[];
beforeEach(() => {
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
});
afterEach(() => void vi.restoreAllMocks());

describe('the write of a restore', () => {
  const sidesOf = (restored: ReturnType<typeof open>, live: ReturnType<typeof open>) => ({
    tables: { from: restored.table, to: live.table },
    stores: { from: restored.store, to: live.store },
  });

  it.each([
    { rule: 'waits between the freeze and the first object', position: 9, frozen: 4 },
    { rule: 'waits again after an interrupted run that set the position', position: 4, frozen: 3 },
  ])('$rule, and restores what workers wrote meanwhile', async ({ position, frozen }) => {
    const [restored, live] = [open(), open()];
    await restored.put('deleted');
    await restored.table.write({ put: { ...storedKey, n: 4 } });
    await live.put('newer');
    await live.table.write({ put: { ...storedKey, n: position } });
    const seen: unknown[] = [];
    const written = await writeDifferences(sidesOf(restored, live), {
      command: 'capstan restore --from-table before --yes',
      now: () => 0,
      untilNoticed: async () => {
        seen.push([await live.position(), await live.names()]);
        await live.put('late');
      },
    });
    expect(seen).toEqual([[frozen, ['newer']]]);
    expect(printed.some((line) => line.startsWith('The installation freezes'))).toBe(true);
    expect(await live.names()).toEqual(['deleted']);
    expect(written).toBe(3);
  });

  it('triggers the Installation controller before the wait and after the writes, and never restores the Installation', async () => {
    const [restored, live] = [open(), open()];
    await restored.install('ObjectsOlder');
    await live.install(undefined);
    const seen: unknown[] = [];
    let now = 0;
    await writeDifferences(sidesOf(restored, live), {
      command: 'capstan restore --from-table before --yes',
      now: () => now,
      untilNoticed: async () => {
        seen.push(await live.installation());
        now = 40_000;
      },
    });
    const noted = (at: string, annotations: object = {}) => ({
      annotations: { 'capstan.dev/restored-at': at, ...annotations },
      status: undefined,
    });
    expect([...seen, await live.installation()]).toEqual([
      noted('1970-01-01T00:00:00.000Z', { 'capstan.dev/restoring': 'capstan restore --from-table before --yes' }),
      noted('1970-01-01T00:00:40.000Z'),
    ]);
  });

  it('keeps newer objects on request, including those that appear during the wait', async () => {
    const [restored, live] = [open(), open()];
    await live.put('newer');
    const untilNoticed = () => live.put('late');
    expect(
      await writeDifferences(sidesOf(restored, live), {
        command: 'capstan restore --from-table before --yes',
        keepNewer: true,
        now: () => 0,
        untilNoticed,
      }),
    ).toBe(0);
    expect(await live.names()).toEqual(['late', 'newer']);
  });

  it('waits longer than workers cache the freeze state', () => expect(noticed).toBeGreaterThan(believed));
});

describe('objects that cannot be read as of then', () => {
  const difference = (what: Difference['do']): Difference => ({
    kind: 'Secret',
    type: 'secrets',
    key: key('demo-ca'),
    do: what,
    object: { apiVersion: 'v1', kind: 'Secret', metadata: key('demo-ca') },
  });
  it('prevent the restore where they do not exist now, because the key may be wrong', () =>
    expect(() => expectReadable([difference('lack')], 'arn:key', {})).toThrow(
      /^1 objects cannot be read with the key arn:key.*Nothing was changed\.\n.*--from-key.*--without-unreadable/,
    ));
  it('do not prevent it where they stay, or where the user accepts that', () => {
    expect(() => expectReadable([difference('keep'), difference('create')], 'arn:key', {})).not.toThrow();
    expect(() => expectReadable([difference('lack')], 'arn:key', { withoutUnreadable: true })).not.toThrow();
  });
});

describe('capstan restore', () => {
  const [sts, stacks, dynamo] = [
    mockedClient(STSClient),
    mockedClient(CloudFormationClient),
    mockedClient(DynamoDBClient),
  ];
  beforeEach(() => {
    for (const mock of [sts, stacks, dynamo]) mock.reset();
    for (const name of ['AWS_PROFILE', 'AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_ENDPOINT_URL'])
      vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null');
    sts.on(GetCallerIdentityCommand).resolves({ Arn: 'arn:aws:iam::111122223333:user/ann', Account: '111122223333' });
    stacks.on(DescribeStacksCommand).callsFake(({ StackName }: { StackName: string }) => ({
      Stacks: [
        {
          StackName,
          Outputs: [
            { OutputKey: 'ObjectsTable', OutputValue: `${StackName}-objects` },
            { OutputKey: 'KeyArn', OutputValue: 'arn:aws:kms:eu-central-1:111122223333:key/own' },
          ],
        },
      ],
    }));
    dynamo.on(DescribeTableCommand).resolves({ Table: { TableStatus: 'ACTIVE' } });
    dynamo.on(QueryCommand).resolves({ Items: [] }).on(GetItemCommand).resolves({});
  });
  afterEach(() => void vi.unstubAllEnvs());

  /** The options that the printed command stands for. */
  const repeated = (): RestoreOptions => {
    const [, table, text = ''] =
      /^Nothing was changed\. To write this into (\S+): {2}capstan restore (.*)$/m.exec(printed.join('\n')) ??
      expect.fail(printed.join('\n'));
    const command = restoreCommand().action(() => undefined);
    command.parse(text.split(' '), { from: 'user' });
    expect(table).toBe(`Capstan-${command.opts<RestoreOptions>().context?.installation}-objects`);
    return command.opts();
  };
  const region = 'eu-central-1';
  const common = { region, context: { installation: 'capstan' }, yes: true };
  const fromKey = 'arn:aws:kms:eu-central-1:111122223333:key/copied';

  it.each<{ rule: string; options: RestoreOptions; is: RestoreOptions }>([
    {
      rule: 'the restored table in place of the time',
      options: { region, time: new Date('2026-11-26T17:00:00Z') },
      is: { ...common, fromTable: 'Capstan-capstan-objects-restored-20261126170000' },
    },
    {
      rule: 'the table of --from-table',
      options: { region, fromTable: 'copy' },
      is: { ...common, fromTable: 'copy' },
    },
    {
      rule: 'the key, and that newer objects stay',
      options: { region, fromTable: 'copy', fromKey, keepNewer: true },
      is: { ...common, fromTable: 'copy', fromKey, keepNewer: true },
    },
    {
      rule: 'that unreadable objects are left out',
      options: { region, fromTable: 'copy', withoutUnreadable: true },
      is: { ...common, fromTable: 'copy', withoutUnreadable: true },
    },
    {
      rule: 'installation and profile',
      options: { region, fromTable: 'copy', context: { installation: 'blue' }, profile: 'ops' },
      is: { ...common, fromTable: 'copy', context: { installation: 'blue' }, profile: 'ops' },
    },
  ])('repeats $rule without --yes', async ({ options, is }) => {
    await restore(options);
    expect(repeated()).toEqual(is);
  });

  it('repeats the region when it comes from the environment', async () => {
    vi.stubEnv('AWS_REGION', 'ap-south-1');
    await restore({ fromTable: 'copy' });
    expect(repeated().region).toBe('ap-south-1');
  });

  it('writes neither objects nor the position without --yes', async () => {
    await restore({ region, fromTable: 'copy' });
    // A list initializes the counter of a type that has none.
    const isCounter = ({ input }: { input: object }) =>
      'Item' in input && (input.Item as typeof head).sk.S === head.sk.S;
    const others = dynamo.calls().map(({ args: [command] }) => command as { input: object });
    const reads = [DescribeTableCommand, QueryCommand, GetItemCommand];
    expect(others.filter((one) => !isCounter(one) && !reads.some((read) => one instanceof read))).toEqual([]);
  });

  it.each([
    { rule: 'in AWS', endpoint: undefined },
    { rule: 'in an emulator, whose workers are the deployed ones', endpoint: 'http://127.0.0.1:4566' },
  ])('waits for the workers before it writes $rule', async ({ endpoint }) => {
    vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
    const waited: number[] = [];
    await restore({ region, fromTable: 'copy', yes: true }, async (ms) => void waited.push(ms));
    expect(waited).toEqual([noticed]);
    expect(printed.at(-1)).toContain('aws dynamodb delete-table --table-name copy --region eu-central-1');
  });

  const restored = 'Capstan-capstan-objects-restored-20261126170000';
  const time = new Date('2026-11-26T17:00:00Z');
  it('says how to go on when it is interrupted while the table is being restored', async () => {
    const { interrupt, output } = interruptions();
    let looks = 0;
    dynamo.on(DescribeTableCommand).callsFake(() => {
      if (++looks === 2) interrupt();
      return { Table: { TableStatus: 'ACTIVE' } };
    });
    await restore({ region, time });
    expect(output()).toContain(
      `DynamoDB goes on restoring ${restored}. When it is done:  capstan restore --from-table`,
    );
  });

  it('names the restored table when it is interrupted while it compares', async () => {
    const { interrupt, output } = interruptions();
    let reads = 0;
    dynamo.on(QueryCommand).callsFake(() => {
      if (++reads === 1) interrupt();
      return { Items: [] };
    });
    await restore({ region, fromTable: 'copy' });
    expect(output()).toContain('No object was changed. The restored table copy stays, and is charged for. To go on:  ');
    expect(output()).toContain(`aws dynamodb delete-table --table-name copy --region ${region}`);
  });

  it.each([
    { what: 'interrupted', fails: false },
    { what: 'refused an access', fails: true },
  ])('says that the installation is frozen when it is $what amid its writes', async ({ fails }) => {
    const { interrupt, output } = interruptions();
    const restoring = restore({ region, fromTable: 'copy', yes: true }, async () => {
      if (fails) throw new Error('no access');
      interrupt();
    });
    const frozen =
      'The installation is frozen, and only some objects may be restored. Run it again before you thaw:  capstan restore --from-table copy';
    if (fails) await expect(restoring).rejects.toThrow(`no access\n  ${frozen}`);
    else await restoring;
    if (!fails) expect(output()).toContain(`Interrupted. ${frozen}`);
  });

  it('refuses the table of the installation itself', async () => {
    await expect(restore({ region, fromTable: 'Capstan-capstan-objects' })).rejects.toThrow('installation itself');
  });
});
