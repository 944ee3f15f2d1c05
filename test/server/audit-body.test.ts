/** The audit log at level Request: what was written, and never a secret. */
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../adapters/memory/clock.ts';
import { withoutCredentials } from '../../kinds/common/credentials.ts';
import type { AuditEvent } from '../../machinery/server/index.ts';
import { clientOf, configMap, configMaps, widget, widgets } from './client.ts';
import { createTestServer } from './world.ts';

const audited = async () => {
  const events: AuditEvent[] = [];
  const audit = (event: AuditEvent) => void events.push(event);
  const { server } = await createTestServer(systemClock, { audit, redact: withoutCredentials });
  return { client: clientOf(server), events };
};
const secrets = '/api/v1/namespaces/default/secrets';
const hidden = 'hunter2hunter2';

describe('the audit log has the body of', () => {
  it('a create, an update and each patch', async () => {
    const { client, events } = await audited();
    const { body } = await client.post(widgets, widget('a', { replicas: 2 }));
    const { resourceVersion } = body.metadata!;
    await client.put(`${widgets}/a`, widget('a', { replicas: 3 }, { resourceVersion }));
    await client.patch(`${widgets}/a`, 'merge', { spec: { replicas: 4 } });
    await client.patch(`${widgets}/a`, 'json', [{ op: 'replace', path: '/spec/replicas', value: 5 }]);
    await client.apply(
      `${widgets}/a?fieldManager=m&force=true`,
      'spec: {replicas: 6}\nmetadata: {name: a}\n' + 'apiVersion: example.com/v1\nkind: Widget\n',
    );
    expect(events.map(({ level, responseStatus }) => [level, responseStatus.code])).toEqual([
      ['Request', 201],
      ...Array.from({ length: 4 }, () => ['Request', 200]),
    ]);
    expect(events.map(({ requestObject }) => requestObject)).toMatchObject([
      { spec: { replicas: 2 } },
      { spec: { replicas: 3 } },
      { spec: { replicas: 4 } },
      [{ op: 'replace', path: '/spec/replicas', value: 5 }],
      { spec: { replicas: 6 } },
    ]);
  });

  it('no request if the level is Metadata', async () => {
    const events: AuditEvent[] = [];
    const { server } = await createTestServer(systemClock, { audit: (event) => void events.push(event) });
    await clientOf(server).post(widgets, widget('a'));
    expect(events).toMatchObject([{ level: 'Metadata' }]);
    expect(events[0]).not.toHaveProperty('requestObject');
  });

  it('no read, no deletion and no refused request', async () => {
    const { client, events } = await audited();
    await client.get(widgets);
    await client.delete(`${widgets}/none`, { kind: 'DeleteOptions', apiVersion: 'v1' });
    await client.post(widgets, widget('a', { replicas: -1 }));
    expect(events.map(({ level, requestObject }) => [level, requestObject])).toEqual(
      Array.from({ length: 3 }, () => ['Metadata', undefined]),
    );
  });

  it('no request that is too long, and says so', async () => {
    const { client, events } = await audited();
    await client.post(widgets, widget('a', { settings: { text: 'a b '.repeat(8000) } }));
    expect(events).toMatchObject([
      { level: 'Metadata', annotations: { 'capstan.dev/request-omitted': expect.stringMatching(/^\d+ characters$/) } },
    ]);
  });
});

describe('the audit log never has', () => {
  it.each([
    {
      what: 'a Secret',
      path: secrets,
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: hidden } },
    },
    { what: 'a ConfigMap', path: configMaps, body: configMap('a', { a: hidden }) },
  ])('the body of $what', async ({ path, body }) => {
    const { client, events } = await audited();
    expect((await client.post(path, body)).status).toBe(201);
    expect(events).toMatchObject([{ level: 'Metadata' }]);
    expect(JSON.stringify(events)).not.toContain(hidden);
  });

  it.each([
    { what: 'a file', settings: { files: [{ path: '/etc/key', content: hidden }] } },
    { what: 'a password', settings: { users: [{ name: 'a', passwd: hidden }] } },
    { what: 'a command', settings: { preKubeadmCommands: [`echo ${hidden}`] } },
    { what: 'a token of discovery', settings: { bootstrapToken: { token: hidden } } },
    { what: 'a join token in a text', settings: { note: `join with abcdef.0123456789abcdef`, x: hidden.slice(0, 3) } },
  ])('$what in a body', async ({ settings }) => {
    const { client, events } = await audited();
    expect((await client.post(widgets, widget('a', { settings }))).status).toBe(201);
    expect(events[0]?.requestObject).toBeDefined();
    expect(JSON.stringify(events)).not.toMatch(new RegExp(`${hidden}|abcdef\\.0123456789abcdef`));
  });

  it('what a JSON patch writes into such a field', async () => {
    const { client, events } = await audited();
    await client.post(widgets, widget('a', { settings: { files: [{ content: '' }] } }));
    const patch = [{ op: 'replace', path: '/spec/settings/files/0/content', value: hidden }];
    expect((await client.patch(`${widgets}/a`, 'json', patch)).status).toBe(200);
    expect(events[1]?.requestObject).toEqual([{ ...patch[0], value: '…' }]);
  });

  it('what kubectl repeats in its annotation', async () => {
    const { client, events } = await audited();
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ content: hidden }) };
    await client.post(widgets, widget('a', {}, { annotations }));
    expect(JSON.stringify(events)).not.toContain(hidden);
  });
});
