import { beforeAll, describe, expect, it } from 'vitest';
import { deployedIn } from '../../cdk/context.ts';
import type { Found } from '../../cdk/deployed.ts';
import { workerClasses } from '../../cdk/names.ts';
import { storedFormat } from '../../machinery/store/format.ts';
import {
  evaluated,
  ofType,
  type Resource,
  type Synthesised,
  synthesise,
  type Template,
  validated,
} from './stacks.fixture.ts';

let made: Synthesised;
let template: Template;

beforeAll(() => {
  made = synthesise({ accountConcurrency: '1000' }, undefined, validated);
  template = made.controlPlane;
}, 120_000);

/** IDs of the resources that exist before a resource is created. */
const upstreamOf = (id: string): Set<string> => {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { Ref, 'Fn::GetAtt': attribute } = value as { Ref?: string; 'Fn::GetAtt'?: string[] };
    for (const next of [Ref, attribute?.[0]]) if (next !== undefined) follow(next);
    for (const one of Object.values(value)) visit(one);
  };
  const follow = (next: string): void => {
    const resource = template.Resources[next];
    if (!resource || found.has(next)) return;
    found.add(next);
    for (const one of resource.DependsOn ?? []) follow(one);
    visit(resource.Properties);
  };
  follow(id);
  found.delete(id);
  return found;
};

describe('the concurrency of functions', () => {
  const deployed = (context: Record<string, unknown>) => {
    const { Resources } = synthesise(context).controlPlane;
    const all = Object.values(Resources);
    const handing = all.filter(({ Properties }) => Properties?.ScalingConfig && Properties.Enabled !== false);
    const functions = all.filter(({ Type }) => Type === 'AWS::Lambda::Function').map(({ Properties }) => Properties);
    const variables = (name: string) =>
      (
        functions.find(({ FunctionName }) => FunctionName === `capstan-${name}`)!.Environment as {
          Variables: Record<string, unknown>;
        }
      ).Variables;
    const perQueue = handing.map(
      ({ Properties }) => (Properties.ScalingConfig as { MaximumConcurrency: number }).MaximumConcurrency,
    );
    const reserved = functions.flatMap(({ ReservedConcurrentExecutions: kept }) =>
      kept === undefined ? [] : [Number(kept)],
    );
    const environment = evaluated(variables('dispatch'), (reference) => `https://queue/${reference}`) as Record<
      string,
      string
    >;
    return {
      workers: perQueue.reduce((a, b) => a + b, 0),
      watches: Number(variables('watch').WATCHES),
      reserved: reserved.reduce((a, b) => a + b, 0),
      mappings: JSON.parse(environment.MAPPINGS!) as { hot: string[]; slow: string[] },
      queues: JSON.parse(environment.QUEUES!) as Record<string, { hot: string; slow: string }>,
    };
  };

  it.each([
    { limit: undefined, workers: 8, watches: 2, reserved: 0, isOne: true },
    { limit: '10', workers: 8, watches: 2, reserved: 0, isOne: true },
    { limit: '40', workers: 16, watches: 8, reserved: 0, isOne: false },
    { limit: '1000', workers: 140, watches: 100, reserved: 180, isOne: false },
  ])('stays within a limit of $limit', ({ limit, isOne, ...expected }) => {
    const { mappings, queues, ...found } = deployed(limit === undefined ? {} : { accountConcurrency: limit });
    expect(found).toEqual(expected);
    expect(mappings.slow).toHaveLength(isOne ? 0 : workerClasses.length);
    // No function sends to a queue without a mapping.
    for (const { hot, slow } of Object.values(queues)) expect(hot === slow).toBe(isOne);
  });

  it.each([
    ['is refused where it is more', { accountConcurrency: '10', maxConcurrency: '3' }, /workers may keep 12 functions/],
    ['is not reserved where nothing can be', { accountConcurrency: '10', reservedConcurrency: '{"api":1}' }, /keeps 1/],
  ])('%s', (_, context, wrong) => expect(() => synthesise(context)).toThrow(wrong));
});

describe('a proxy', () => {
  const proxied = (context: Record<string, unknown>): Record<string, object> =>
    Object.fromEntries(
      ofType(synthesise(context).controlPlane, 'AWS::Lambda::Function').flatMap(([, { Properties }]) => {
        const { Variables } = Properties.Environment as { Variables: Record<string, string> };
        const { HTTPS_PROXY, NO_PROXY } = Variables;
        return HTTPS_PROXY === undefined ? [] : [[String(Properties.FunctionName), { HTTPS_PROXY, NO_PROXY }]];
      }),
    );

  it('is configured for the function that calls clusters, and for no other', () => {
    const [httpsProxy, noProxy] = ['http://proxy.example.com:3128', '.internal,10.0.0.7'];
    expect(proxied({ httpsProxy, noProxy })).toEqual({
      'capstan-reconcile-workload': { HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy },
    });
  });

  it.each([
    ['needs an address', { noProxy: '.internal' }, /noProxy says nothing without httpsProxy/],
    ['has a whole address', { httpsProxy: 'proxy.example.com' }, /httpsProxy/],
  ])('%s', (_, context, wrong) => expect(() => synthesise(context)).toThrow(wrong));
});

describe('the layer with Helm', () => {
  const layer = 'arn:aws:lambda:eu-central-1:111122223333:layer:helm:3';
  it('is of the function that calls clusters, and of no other', () => {
    const layers = ofType(synthesise({ helmLayer: layer }).controlPlane, 'AWS::Lambda::Function').flatMap(
      ([, { Properties }]) => (Properties.Layers ? [[Properties.FunctionName, Properties.Layers]] : []),
    );
    expect(layers).toEqual([['capstan-reconcile-workload', [layer]]]);
  });

  it('is named by its version', () =>
    expect(() => synthesise({ helmLayer: 'helm' })).toThrow(/helmLayer is no ARN of a version of a Lambda layer/));
});

describe('the settings', () => {
  const guarded = ({ controlPlane }: Synthesised) => ofType(controlPlane, 'Custom::CapstanSettings')[0]!;
  const administrators = 'arn:aws:iam::111122223333:role/Admin';
  const deployed = {
    isKnown: true,
    context: { multiRegionKey: 'true', administrators, vpcEndpointIds: 'vpce-0a1b' },
    named: ['installation'],
  };
  const propertiesOf = (context: Record<string, unknown>, found?: typeof deployed) =>
    guarded(synthesise(context, found))[1].Properties;

  it('are approved before anything is created or updated that they affect', () => {
    const [id] = guarded(made);
    const before = upstreamOf(id);
    const unguarded = Object.keys(template.Resources).filter(
      (one) => one !== id && !before.has(one) && !upstreamOf(one).has(id),
    );
    const typesOf = (ids: Iterable<string>) =>
      [...new Set([...ids].map((one) => template.Resources[one]!.Type))].sort();
    expect(typesOf(unguarded)).toEqual(['AWS::SQS::QueuePolicy']);
    expect(typesOf(before)).toEqual([
      'AWS::DynamoDB::Table',
      'AWS::IAM::Policy',
      'AWS::IAM::Role',
      'AWS::KMS::Key',
      'AWS::Lambda::Function',
      'AWS::Logs::LogGroup',
      'AWS::SQS::Queue',
    ]);
  });

  it('of a deployment that does not know the installation are those that the user gives', () => {
    expect(propertiesOf({ administrators, alarmEmail: '' })).toMatchObject({
      Settings: { administrators },
      Named: ['administrators', 'alarmEmail'],
      IsKnown: 'false',
    });
  });

  it('of the deployed installation stay, and a private API stays private', () => {
    const { controlPlane } = synthesise({}, deployed);
    const [[, api]] = ofType(controlPlane, 'AWS::ApiGateway::RestApi') as [[string, Resource]];
    expect(api.Properties).toMatchObject({ EndpointConfiguration: { Types: ['PRIVATE'] } });
    expect(propertiesOf({}, deployed)).toMatchObject({
      Settings: deployed.context,
      Named: deployed.named,
      IsKnown: 'true',
    });
  });

  it('come with the stored format of the version, which is recorded once everything is deployed', () => {
    const deployment = synthesise({ administrators });
    const format = { Format: String(storedFormat) };
    expect(guarded(deployment)[1].Properties).toMatchObject(format);
    expect(ofType(deployment.controlPlane, 'Custom::CapstanGuard')[0]![1].Properties).toMatchObject(format);
  });

  it.each([
    { rule: 'is kept while the format is newer', leaveFormat: storedFormat + 1, is: String(storedFormat + 1) },
    { rule: 'ends with a version that reads the format', leaveFormat: storedFormat, is: undefined },
  ])('that permits to leave a newer format $rule', ({ leaveFormat, is }) => {
    const left = { ...deployed, context: { ...deployed.context, leaveFormat: String(leaveFormat) } };
    expect(propertiesOf({}, left)?.Settings).toEqual({ ...deployed.context, ...(is && { leaveFormat: is }) });
  });

  it('of the deployed installation make the same template when the user repeats them', () => {
    const { administrators: same } = deployed.context;
    expect(synthesise({ administrators: same }, deployed).controlPlane).toEqual(synthesise({}, deployed).controlPlane);
  });

  it('of the deployed installation change when they are named', () => {
    expect(propertiesOf({ vpcEndpointIds: '', watches: '5', administrators }, deployed)).toMatchObject({
      Settings: { administrators, watches: '5' },
      Named: ['vpcEndpointIds', 'watches'],
    });
  });

  it.each([
    { given: {}, count: 0 },
    { given: { accountLogging: 'true' }, count: 1 },
  ])('of the account change only for a user who asks: $given', ({ given, count }) => {
    expect(ofType(synthesise(given).controlPlane, 'AWS::ApiGateway::Account')).toHaveLength(count);
  });
});

describe('the key', () => {
  const keyIn = ({ controlPlane }: Synthesised) => ofType(controlPlane, 'AWS::KMS::Key')[0]![1].Properties;
  const isKnown = true;

  it.each<{ of: string; found: Found; multiRegion: boolean }>([
    { of: 'a new installation', found: { isKnown, context: {}, named: [] }, multiRegion: true },
    {
      of: 'an installation that has another one',
      found: { isKnown, context: { multiRegionKey: 'false' }, named: [], format: storedFormat },
      multiRegion: false,
    },
  ])('of $of can be replicated into other regions: $multiRegion', ({ found, multiRegion }) => {
    const first = synthesise({}, found);
    expect(keyIn(first).MultiRegion).toBe(multiRegion);
    // KMS refuses a change of the key, so the next deployment must find what this one made.
    const next = synthesise({}, { isKnown, ...deployedIn(JSON.stringify(first.controlPlane)) });
    expect(next.controlPlane).toEqual(first.controlPlane);
  });
});

describe('the bucket of snapshots', () => {
  const isKnown = true;
  const bucketIn = ({ controlPlane }: Synthesised) => ofType(controlPlane, 'AWS::S3::Bucket')[0]![1].Properties;
  const workerIn = ({ controlPlane }: Synthesised) =>
    ofType(controlPlane, 'AWS::Lambda::Function')
      .map(([, { Properties }]) => (Properties.Environment as { Variables?: Record<string, unknown> })?.Variables ?? {})
      .find((variables) => 'SNAPSHOT_BUCKET' in variables);
  const mayLock = ({ controlPlane }: Synthesised) => JSON.stringify(controlPlane).includes('"s3:PutObjectRetention"');
  const bypasses = ({ controlPlane }: Synthesised) =>
    JSON.stringify(controlPlane).includes('BypassGovernanceRetention');

  it.each<{ rule: string; context: Record<string, string>; found: Found; lockable: boolean; days: string | undefined }>(
    [
      {
        rule: 'locks nothing unless that is asked for',
        context: {},
        found: { isKnown, context: {}, named: [] },
        lockable: false,
        days: undefined,
      },
      {
        rule: 'is made with Object Lock by a first deployment that asks for locks',
        context: { snapshotLockDays: '7' },
        found: { isKnown, context: {}, named: [] },
        lockable: true,
        days: '7',
      },
      {
        rule: 'is not replaced for locks that a later deployment asks for',
        context: { snapshotLockDays: '7' },
        found: { isKnown, context: { multiRegionKey: 'true' }, named: [] },
        lockable: false,
        days: '7',
      },
      {
        rule: 'keeps Object Lock when no further locks are asked for',
        context: { snapshotLockDays: '' },
        found: {
          isKnown,
          context: { multiRegionKey: 'true', snapshotLockDays: '7', lockableSnapshots: 'true' },
          named: [],
        },
        lockable: true,
        days: undefined,
      },
    ],
  )('$rule', ({ context, found, lockable, days }) => {
    const made = synthesise(context, found);
    expect(bucketIn(made).ObjectLockEnabled).toBe(lockable || undefined);
    // A rule of the bucket would lock decisions, too.
    expect(bucketIn(made).ObjectLockConfiguration).toBeUndefined();
    expect(workerIn(made)?.SNAPSHOT_LOCK_DAYS).toBe(days);
    expect(mayLock(made)).toBe(days !== undefined);
    expect(bypasses(made)).toBe(false);
  });
});
