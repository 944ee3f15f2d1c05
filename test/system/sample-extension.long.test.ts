/** The example extension over the life of a cluster: as a function of AWS Lambda, and by its URL. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createAuthority, issue } from '../../adapters/pki/index.ts';
import { webhookCaller } from '../../adapters/webhook/index.ts';
import { createHandler, type Event, type Fetch } from '../../examples/extension.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { isSettled, isTrue, remains } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

const cluster = 'cluster-class';
let world: World | undefined;
afterEach(() => world?.end());

/** The systems of a company. */
const createCompany = () => {
  const state = {
    free: ['10.1.0.7'],
    leases: new Map<string, string>(),
    inventory: new Map<string, string>(),
    approved: false,
  };
  const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
  const fetch: Fetch = async (url, { method, body } = {}) => {
    const { host, pathname } = new URL(url);
    const id = pathname.split('/').at(-1)!;
    switch (`${method} ${host}`) {
      case 'PUT addresses.example': {
        const address = state.leases.get(id) ?? state.free.shift();
        if (address === undefined) return json({}, 409);
        state.leases.set(id, address);
        return json({ address });
      }
      case 'DELETE addresses.example':
        state.free.push(...(state.leases.has(id) ? [state.leases.get(id)!] : []));
        state.leases.delete(id);
        return json({});
      case 'PUT inventory.example':
        state.inventory.set(id, (JSON.parse(String(body)) as { name: string }).name);
        return json({});
      case 'DELETE inventory.example':
        state.inventory.delete(id);
        return json({});
      case 'PUT patches.example':
        return json({ approved: state.approved });
      default:
        return json({}, 404);
    }
  };
  return { state, fetch };
};

const functionUrl = 'https://lambda.eu-central-1.amazonaws.com/2015-03-31/functions/platform/invocations';
const extension = {
  apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
  kind: 'ExtensionConfig',
  metadata: { name: 'platform' },
  spec: {
    clientConfig: { url: functionUrl },
    settings: {
      addresses: 'https://addresses.example',
      inventory: 'https://inventory.example',
      patches: 'https://patches.example',
    },
  },
};

/** The example's class with a patch by the extension, and its cluster with the variable that this defines. */
const objects = (): KubeObject[] =>
  example('cluster-class.yaml').map((object) => {
    const spec = structuredClone(object.spec) as {
      patches: unknown[];
      topology: { variables: { name: string; value: unknown }[] };
    };
    if (object.kind === 'ClusterClass')
      spec.patches.push({
        name: 'company',
        external: {
          generatePatchesExtension: 'generatepatches.platform',
          discoverVariablesExtension: 'discovervariables.platform',
        },
      });
    if (object.kind === 'Cluster') spec.topology.variables.push({ name: 'costCenter', value: '4711' });
    return { ...object, spec } as KubeObject;
  });

const condition = (type: string) =>
  world?.find('Cluster', cluster)?.status?.conditions?.find((one) => one.type === type);

describe('the example extension', () => {
  it('gives an address, waits for an approval, registers the cluster, and patches its machines', async () => {
    const company = createCompany();
    const handler = createHandler(company.fetch);
    const invoke = async (_: string, event: unknown) => JSON.stringify(await handler(event as Event));
    const [address] = company.state.free.splice(0);
    world = await createWorld({ workflows: true, callWebhook: webhookCaller({ invoke }) });
    await world.apply(extension as KubeObject);
    await world.until(
      'discovered',
      () => world!.find('ExtensionConfig', 'platform', '')?.status?.handlers !== undefined,
      2,
    );
    const [others, own] = [
      objects().filter(({ kind }) => kind !== 'Cluster'),
      objects().find(({ kind }) => kind === 'Cluster')!,
    ];
    for (const object of others) expect((await world.apply(object)).code, JSON.stringify(object)).toBeLessThan(300);
    await world.until('ready', () => isTrue(world!, 'ClusterClass', 'standard', 'VariablesReady'), 3);
    const withoutValue = structuredClone(own) as KubeObject & { spec: { topology: { variables: { name: string }[] } } };
    withoutValue.spec.topology.variables.pop();
    expect(await world.request('POST', world.pathOf(own), withoutValue)).toMatchObject({
      code: 422,
      body: { message: expect.stringContaining('required variable "costCenter" must be set') },
    });
    await world.apply(own);
    await world.until('waits', () => /no address is free/.test(condition('TopologyReconciled')?.message ?? ''), 5);
    expect(condition('TopologyReconciled')?.reason).toBe('ClusterCreating');
    expect(world.all('AWSCluster')).toEqual([]);
    company.state.free.push(address!);
    await world.until('created', () => isTrue(world!, 'Cluster', cluster, 'Available') && isSettled(world!), 60);
    await world.pass(1);
    const uid = world.find('Cluster', cluster)!.metadata.uid!;
    expect(company.state.leases.get(uid)).toBe(address);
    expect(company.state.inventory.get(uid)).toBe(cluster);
    for (const { spec } of world.all('AWSMachine'))
      expect(spec?.additionalTags).toMatchObject({ 'cost-center': '4711' });

    await world.patch('Cluster', cluster, { spec: { topology: { version: 'v1.36.0' } } });
    const upgrade = () => world!.find('ClusterOperation', `${cluster}-upgrade-1`)?.status;
    await world.until('waits', () => /not approved yet/.test(upgrade()?.message ?? ''), 60);
    company.state.approved = true;
    await world.until('upgraded', () => upgrade()?.phase === 'Succeeded', 60);

    await world.remove('Cluster', cluster);
    await world.until('deleted', () => remains(world!).length === 0, 120);
    expect([...company.state.leases, ...company.state.inventory]).toEqual([]);
  });

  it('is an HTTPS server as well', async () => {
    const now = Date.now();
    const algorithm = 'ECDSA-P256' as const;
    const ca = createAuthority({ subject: { commonName: 'ca' }, days: 1, algorithm, now });
    const subject = { commonName: 'extension' };
    const served = issue({ subject, sans: ['127.0.0.1'], usages: ['server'], ca, days: 1, algorithm, now });
    const handler = createHandler(createCompany().fetch);
    const server = createServer({ key: served.key, cert: served.certificate }, async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const rawPath = new URL(request.url!, 'https://extension.example').pathname;
      const { statusCode, headers, body } = await handler({ rawPath, body: Buffer.concat(chunks).toString() });
      response.writeHead(statusCode, headers).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const caBundle = Buffer.from(ca.certificate).toString('base64');
      const path = '/hooks.runtime.cluster.x-k8s.io/v1alpha1/discovery';
      const answer = await webhookCaller({ allowsLocal: true })({ url, caBundle, path }, {}, { timeout: 10_000 });
      expect(answer).toMatchObject({
        status: 'Success',
        handlers: expect.arrayContaining([expect.objectContaining({ name: 'beforeclustercreate' })]),
      });
    } finally {
      server.close();
    }
  });
});
