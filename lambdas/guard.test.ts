import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Mark } from '../kinds/ports/installation.ts';
import { recordFormat, underFormat } from '../machinery/store/format-record.ts';
import removal from './fixtures/custom-resource.json' with { type: 'json' };
import { guards } from './guard.ts';
import { forceLasts, writeForce } from './runtime/force.ts';
import { createGuarding, type Guarding, lazyGuarding } from './runtime/guarding.ts';
import { createWorld, invocation } from './world.fixture.ts';

/** CloudFormation, as the receiver of responses. */
let server: Server;
let answers: Record<string, unknown>[];
/** How it answers the next responses. */
let statuses: number[];
let url: string;

beforeEach(async () => {
  answers = [];
  statuses = [];
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const status = statuses.shift() ?? 200;
    if (status === 200) answers.push({ type: request.headers['content-type'], ...(JSON.parse(body) as object) });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  url = `http://127.0.0.1:${address.port}/answer?signature=secret`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const by = 'arn:aws:iam::111122223333:role/admin';
const clusters = 'clusters.cluster.x-k8s.io';

const createGround = async ({ names = [] as string[], mark = undefined as Mark | undefined, acted = 0 } = {}) => {
  const world = createWorld();
  const { clock } = world;
  const { store, objects, work, log } = world.foundation;
  for (const name of names)
    await store.commit(clusters, { namespace: 'default', name }, () => ({
      do: 'put',
      object: {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Cluster',
        metadata: { namespace: 'default', name, uid: `uid of ${name}` },
      },
    }));
  if (acted > 0) await objects.write({ put: { pk: 'position', sk: 'installation', n: acted } });
  const ground = { mark, status: 'UPDATE_IN_PROGRESS' };
  const clients = {
    installation: 'here',
    objects,
    work,
    clock,
    log,
    marker: {
      read: async () => ground.mark,
      furthest: async () => ground.mark,
      write: async () => {
        throw new Error('a guard writes no mark');
      },
    },
    removeMark: async () => {
      ground.mark = undefined;
    },
    statusOf: async () => ground.status,
  };
  return { ...world, ground, work, guarding: createGuarding(clients) };
};

const ask = async (guarding: Guarding, given: object = {}, called = invocation) => {
  await guards(() => guarding)({ ...removal, ResponseURL: url, ...given }, called);
  return answers.at(-1);
};

const acted: Mark = { position: 3, regions: ['eu-central-1'] };

describe('a stack deletion', () => {
  it('is refused while clusters exist, with their names and advice', async () => {
    const { guarding, ground } = await createGround({ names: ['a', 'b'], mark: acted, acted: 3 });
    expect(await ask(guarding)).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringMatching(/2 Clusters \(default\/a, default\/b\).*npm run destroy -- --force/),
      StackId: removal.StackId,
      RequestId: removal.RequestId,
      LogicalResourceId: removal.LogicalResourceId,
      PhysicalResourceId: removal.PhysicalResourceId,
    });
    expect(ground.mark).toEqual(acted);
  });

  it('counts all clusters and names a few', async () => {
    const { guarding } = await createGround({ names: 'abcdefgh'.split('') });
    expect((await ask(guarding))?.Reason).toContain(
      '8 Clusters (default/a, default/b, default/c, default/d, default/e, …)',
    );
  });

  it('removes the mark when nothing is left, so that a later installation of the same name starts afresh', async () => {
    const { guarding, ground } = await createGround({ mark: acted, acted: 3 });
    expect(await ask(guarding)).toMatchObject({ Status: 'SUCCESS' });
    expect(ground.mark).toBeUndefined();
  });

  it('keeps the mark of an installation whose objects do not match the account', async () => {
    const { guarding, ground } = await createGround({ mark: acted });
    expect(await ask(guarding)).toMatchObject({ Status: 'SUCCESS' });
    expect(ground.mark).toEqual(acted);
  });

  it.each([
    { rule: 'is allowed when it is forced, and keeps the mark', stack: removal.StackId, later: 0, status: 'SUCCESS' },
    { rule: 'is refused when it was forced too long ago', stack: removal.StackId, later: forceLasts, status: 'FAILED' },
    {
      rule: 'is refused when another stack of the same name was forced',
      stack: 'arn:other',
      later: 0,
      status: 'FAILED',
    },
  ])('$rule', async ({ stack, later, status }) => {
    const { guarding, ground, work, clock, lines } = await createGround({ names: ['a'], mark: acted, acted: 3 });
    await writeForce(work, { stack, by }, clock.now());
    await clock.advance(later);
    expect(await ask(guarding)).toMatchObject({ Status: status });
    expect(ground.mark).toEqual(acted);
    expect(lines.some((line) => line.includes('Deletion forced') && line.includes(by))).toBe(status === 'SUCCESS');
  });

  it('removes the mark of a forced deletion, too, when nothing is left', async () => {
    const { guarding, ground, work, clock } = await createGround({ mark: acted, acted: 3 });
    await writeForce(work, { stack: removal.StackId, by }, clock.now());
    expect(await ask(guarding)).toMatchObject({ Status: 'SUCCESS' });
    expect(ground.mark).toBeUndefined();
  });
});

describe('the settings of a deployment', () => {
  const properties = (Settings: Record<string, string>) => ({ ServiceToken: 'arn', Settings, IsKnown: 'true' });
  const [before, after] = [properties({ administrators: by }), properties({ administrators: by, sts: 'false' })];
  const asked = (RequestType: string, next: object, old?: object) => ({
    RequestType,
    LogicalResourceId: 'GuardsSettings',
    PhysicalResourceId: RequestType === 'Create' ? undefined : 'settings',
    ResourceProperties: next,
    OldResourceProperties: old,
  });

  it('are refused when they change without being named', async () => {
    const { guarding } = await createGround();
    expect(await ask(guarding, asked('Update', after, before))).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringContaining('sts from its default to "false"'),
      PhysicalResourceId: 'settings',
    });
  });

  it('return in a rollback', async () => {
    const { guarding, ground } = await createGround();
    ground.status = 'UPDATE_ROLLBACK_IN_PROGRESS';
    expect(await ask(guarding, asked('Update', before, after))).toMatchObject({ Status: 'SUCCESS' });
  });

  it('are refused when CloudFormation sends others than the template has', async () => {
    const { guarding } = await createGround();
    const answer = await ask(guarding, asked('Create', { ServiceToken: 'arn', Settings: 'none' }));
    expect(answer).toMatchObject({ Status: 'FAILED', PhysicalResourceId: 'settings' });
  });

  it('are deleted without a question, and the mark stays for the guard of the stack', async () => {
    const { guarding, ground } = await createGround({ names: ['a'], mark: acted, acted: 3 });
    expect(await ask(guarding, asked('Delete', before))).toMatchObject({ Status: 'SUCCESS' });
    expect(ground.mark).toEqual(acted);
  });
});

describe('the stored format', () => {
  const settings = (Format: string) => ({
    ServiceToken: 'arn',
    Settings: { administrators: 'me' },
    IsKnown: 'true',
    Format,
  });
  const of = async (recorded?: number) => {
    const { guarding, ground, foundation } = await createGround();
    const { objects, clock } = foundation;
    if (recorded !== undefined) await recordFormat(objects, recorded);
    return { guarding, ground, format: () => underFormat(objects, clock).format() };
  };
  const last = (RequestType: string, Format?: string) => ({
    RequestType,
    ResourceProperties: { ServiceToken: 'arn', ...(Format && { Format }) },
  });

  it.each([
    { rule: 'is recorded by the last resource of a deployment', recorded: 1, event: last('Update', '2'), is: 2 },
    { rule: 'is recorded by the last resource of a new installation', event: last('Create', '2'), is: 2 },
    { rule: 'stays with a version that records none', recorded: 2, event: last('Update'), is: 2 },
    {
      rule: 'is that of the version that still runs while a deployment begins',
      recorded: 2,
      event: { RequestType: 'Update', ResourceProperties: settings('2'), OldResourceProperties: settings('1') },
      is: 1,
    },
    {
      rule: 'is taken back before a rollback takes functions back',
      recorded: 2,
      status: 'UPDATE_ROLLBACK_IN_PROGRESS',
      event: { RequestType: 'Update', ResourceProperties: settings('1'), OldResourceProperties: settings('2') },
      is: 1,
    },
    {
      rule: 'stays when an older version is refused',
      recorded: 2,
      event: { RequestType: 'Update', ResourceProperties: settings('1'), OldResourceProperties: settings('2') },
      is: 2,
      refused: true,
    },
  ])('$rule', async ({ recorded, status, event, is, refused }) => {
    const { guarding, ground, format } = await of(recorded);
    if (status !== undefined) ground.status = status;
    expect(await ask(guarding, event)).toMatchObject({ Status: refused ? 'FAILED' : 'SUCCESS' });
    expect(await format()).toBe(is);
  });
});

describe('CloudFormation receives a response', () => {
  const broken = (): Guarding =>
    lazyGuarding(() => {
      throw new Error('the environment of this function is wrong');
    });

  it.each(['Create', 'Update'])('to %s, whatever is wrong', async (RequestType) => {
    const { PhysicalResourceId: _, ...first } = removal;
    await guards(broken)({ ...first, ResponseURL: url, RequestType }, invocation);
    expect(answers).toMatchObject([{ Status: 'SUCCESS', PhysicalResourceId: 'guard', type: '' }]);
  });
  it('with the error when the lookup failed', async () => {
    expect(await ask(broken())).toMatchObject({
      Status: 'FAILED',
      Reason: 'the environment of this function is wrong',
    });
  });
  it('before the invocation times out, however long the lookup takes', async () => {
    const { guarding } = await createGround();
    const forever: Guarding = { ...guarding, refusal: () => new Promise(() => {}) };
    const called = { ...invocation, getRemainingTimeInMillis: () => 20_050 };
    expect(await ask(forever, {}, called)).toMatchObject({ Status: 'FAILED' });
  });
  it('again when it rejected the first one', async () => {
    statuses = [503];
    const { guarding } = await createGround();
    await ask(guarding);
    expect(answers.length).toBe(1);
  });
  it('within its size limit', async () => {
    const { guarding } = await createGround();
    const long: Guarding = { ...guarding, refusal: async () => 'x'.repeat(100_000) };
    expect(JSON.stringify(await ask(long)).length).toBeLessThan(4096);
  });
});
