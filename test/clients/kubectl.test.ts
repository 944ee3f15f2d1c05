/** What users do with kubectl, and what they must see. */

import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findKubectls, type Kubectl, kubectlWith } from './support/kubectl.ts';
import { type RunningServer, startServer } from './support/server.ts';

const widget = (name: string, spec: object = {}, metadata: object = {}) =>
  JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name, ...metadata }, spec });
const configMap = (name: string, data: object) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

describe.each(findKubectls().map((path) => ({ path, name: basename(path) })))('$name', ({ path }) => {
  let server: RunningServer;
  let kubectl: Kubectl;
  const applied = (document: string, ...args: string[]) => kubectl.withInput(document, 'apply', '-f', '-', ...args);

  beforeAll(async () => {
    server = await startServer();
    kubectl = kubectlWith(path, server.kubeconfig, server.directory);
  });
  afterAll(() => server.close());

  it('discovers the API', () => {
    expect(kubectl('version').stdout).toMatch(/Server Version: .*v1\.33/);
    const resources = kubectl('api-resources', '--no-headers').stdout;
    expect(resources).toMatch(/widgets\s+wd\s+example\.com\/v1\s+true\s+Widget/);
    expect(resources).toMatch(/customresourcedefinitions\s+crd,crds/);
    expect(kubectl('api-versions').stdout.split('\n')).toEqual(
      expect.arrayContaining(['v1', 'example.com/v1', 'example.com/v1beta1', 'events.k8s.io/v1']),
    );
    expect(kubectl('cluster-info').code).toBe(0);
    expect(kubectl('get', '--raw', '/readyz').stdout).toBe('ok');
  });

  it('explains fields', () => {
    const { stdout, code } = kubectl('explain', 'widget.spec.parts.weight');
    expect(code).toBe(0);
    expect(stdout).toMatch(/In grams/);
    expect(kubectl('explain', 'configmap.data').stdout).toMatch(/map\[string\]string/);
    expect(kubectl('explain', 'widget.spec.nothing').code).toBe(1);
  });

  it('reports the identity and permissions of the user', () => {
    expect(kubectl('auth', 'can-i', 'create', 'widgets').stdout).toBe('yes\n');
    expect(kubectl('auth', 'can-i', '--list').stdout).toContain('*.*');
  });

  it('applies, reports changes, and changes nothing the second time', () => {
    const document = widget('applied', { replicas: 2, size: 'small' });
    expect(applied(document).stdout).toBe('widget.example.com/applied created\n');
    const before = kubectl.json<{ metadata: { resourceVersion: string } }>('get', 'wd', 'applied');
    expect(applied(document).stdout).toBe('widget.example.com/applied unchanged\n');
    expect(kubectl.json('get', 'wd', 'applied')).toEqual(before);
    const changed = widget('applied', { replicas: 3 });
    expect(applied(changed, '--dry-run=server').stdout).toContain('configured (server dry run)');
    expect(kubectl.json('get', 'wd', 'applied')).toEqual(before);
    const difference = kubectl.withInput(changed, 'diff', '-f', '-');
    expect(difference.code).toBe(1);
    expect(difference.stdout).toMatch(/-\s+size: small/);
    expect(applied(changed).stdout).toBe('widget.example.com/applied configured\n');
    const { spec, metadata } = kubectl.json<{ spec: object; metadata: object }>('get', 'wd', 'applied');
    expect(spec).toEqual({ replicas: 3 });
    expect(metadata).toMatchObject({ generation: 2 });
  });

  it('serves kinds that users define, as the page about them says', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/own-resources.md'), 'utf8');
    const [definition, object] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text!);
    expect(applied(definition!).stdout).toBe(
      'customresourcedefinition.apiextensions.k8s.io/databases.platform.example created\n',
    );
    const crd = 'crd/databases.platform.example';
    expect(kubectl('wait', '--for=condition=Established', crd, '--timeout=10s').code).toBe(0);
    expect(applied(object!).stdout).toBe('database.platform.example/orders created\n');
    expect(applied(object!).stdout).toBe('database.platform.example/orders unchanged\n');
    expect(applied(definition!).stdout).toContain('unchanged');
    expect(kubectl('get', 'db').stdout).toMatch(/NAME\s+ENGINE\s+STORAGE\s+AGE\norders\s+postgres\s+10\s+\d+s/);
    expect(kubectl('explain', 'db.spec.engine').stdout).toContain('The program that serves the database.');
    expect(kubectl('get', 'db', '--field-selector', 'spec.engine=mysql', '-o', 'name').stdout).toBe('');
    const shrunk = kubectl('patch', 'db', 'orders', '--type', 'merge', '-p', '{"spec":{"storageGiB":5}}');
    expect(shrunk.stderr).toContain('storage cannot shrink');
    expect(kubectl.withInput(object!, 'apply', '--server-side', '-f', '-').code).toBe(0);
    expect(applied(object!.replace('postgres', 'oracle')).stderr).toContain('Unsupported value: "oracle"');
    expect(kubectl.withInput(object!.replace('engine', 'motor'), 'create', '-f', '-').stderr).toContain(
      'unknown field "spec.motor"',
    );
    expect(kubectl('delete', 'db', 'orders').code).toBe(0);
    expect(kubectl('api-resources', '--api-group=platform.example', '--no-headers').stdout).toMatch(/databases\s+db/);
  });

  it('accepts definitions of kinds that the server has, with a warning', () => {
    const { stdout } = kubectl('get', 'crd', 'widgets.example.com', '-o', 'json');
    const definition = JSON.parse(stdout);
    definition.spec.names.shortNames = ['other'];
    const { code, stderr } = applied(JSON.stringify(definition));
    expect(code).toBe(0);
    expect(stderr).toContain('widgets.example.com is part of this server');
    expect(kubectl.json('get', 'crd', 'widgets.example.com')).toEqual(JSON.parse(stdout));
    expect(kubectl('delete', 'crd', 'widgets.example.com').stderr).toContain('its kind is part of this server');
  });

  it('merges built-in kinds strategically', () => {
    expect(applied(configMap('strategic', { a: '1', b: '2' })).code).toBe(0);
    kubectl('patch', 'cm', 'strategic', '-p', '{"data":{"c":"3"}}');
    expect(applied(configMap('strategic', { a: '4' })).stdout).toBe('configmap/strategic configured\n');
    expect(kubectl.json<{ data: object }>('get', 'cm', 'strategic').data).toEqual({ a: '4', c: '3' });
  });

  it.each([
    {
      rule: 'unknown fields',
      spec: { bogus: 1, other: 2 },
      says: 'unknown field "spec.bogus", unknown field "spec.other"',
    },
    { rule: 'wrong types', spec: { replicas: 'many' }, says: 'must be of type integer: "string"' },
    {
      rule: 'invalid enum values',
      spec: { size: 'huge' },
      says: 'Unsupported value: "huge": supported values: "small", "large"',
    },
    { rule: 'numbers below the minimum', spec: { replicas: -1 }, says: 'should be greater than or equal to 0' },
    { rule: 'repeated keys', spec: { parts: [{ name: 'a' }, { name: 'a' }] }, says: 'Duplicate value' },
    { rule: 'invalid names', spec: {}, name: 'Bad_Name', says: 'a lowercase RFC 1123 subdomain' },
  ])('refuses $rule', ({ spec, says, name }) => {
    const { code, stderr } = applied(widget(name ?? 'refused', spec));
    expect(code).toBe(1);
    expect(stderr).toContain(says);
    expect(kubectl('get', 'wd', name ?? 'refused').stderr).toContain('NotFound');
  });

  it('warns instead on request', () => {
    const { code, stderr } = kubectl.withInput(widget('warned', { bogus: 1 }), 'create', '--validate=warn', '-f', '-');
    expect(code).toBe(0);
    expect(stderr).toContain('Warning: unknown field "spec.bogus"');
    expect(kubectl.json<{ spec: object }>('get', 'wd', 'warned').spec).toEqual({ replicas: 1 });
  });

  it('warns about deprecated versions and converts between them', () => {
    const old = JSON.stringify({
      apiVersion: 'example.com/v1beta1',
      kind: 'Widget',
      metadata: { name: 'old' },
      spec: { count: 4 },
    });
    expect(applied(old).stderr).toContain('Warning: example.com/v1beta1 Widget is deprecated');
    expect(kubectl.json<{ spec: object }>('get', 'widgets.v1.example.com', 'old').spec).toEqual({ replicas: 4 });
    expect(kubectl.json<{ spec: object }>('get', 'widgets.v1beta1.example.com', 'old').spec).toEqual({ count: 4 });
  });

  it('prints tables', () => {
    applied(widget('table', { replicas: 5, size: 'large' }, { labels: { app: 'table' } }));
    kubectl(
      'patch',
      'wd',
      'table',
      '--subresource=status',
      '--type=merge',
      '-p',
      '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}',
    );
    expect(kubectl('get', 'wd', 'table').stdout).toMatch(/^NAME\s+REPLICAS\s+READY\s+AGE\ntable\s+5\s+True\s+\d+s\n$/);
    expect(kubectl('get', 'wd', '-l', 'app=table', '-o', 'wide').stdout).toMatch(
      /NAME\s+REPLICAS\s+READY\s+SIZE\s+AGE\ntable\s+5\s+True\s+large/,
    );
    expect(kubectl('get', 'wd', '-A', '--no-headers').stdout).toMatch(/default\s+table\s+5/);
    expect(kubectl('get', 'wd', '-o', 'name').stdout).toContain('widget.example.com/table\n');
    expect(kubectl('get', 'wd', 'table', '-o', 'jsonpath={.spec.size}').stdout).toBe('large');
    expect(kubectl('get', 'wd', '--sort-by=.metadata.name').code).toBe(0);
    expect(kubectl('get', 'ns', 'default').stdout).toMatch(/NAME\s+STATUS\s+AGE\ndefault\s+Active/);
    expect(kubectl('get', 'svc').stderr).toContain('No resources found');
  });

  it('selects by labels and fields, and lists in pages', () => {
    for (const name of ['one', 'two', 'three']) applied(widget(`page-${name}`, {}, { labels: { page: name } }));
    expect(
      kubectl('get', 'wd', '-l', 'page in (one,two)', '-o', 'name').stdout.split('\n').filter(Boolean),
    ).toHaveLength(2);
    expect(kubectl('get', 'wd', '--field-selector', 'metadata.name=page-one', '-o', 'name').stdout).toBe(
      'widget.example.com/page-one\n',
    );
    expect(kubectl('get', 'wd', '--field-selector', 'spec.size=small').stderr).toContain(
      'field label not supported: spec.size',
    );
    const pages = kubectl('get', 'wd', '-l', 'page', '--chunk-size=1', '-o', 'name').stdout;
    expect(pages.split('\n').filter(Boolean)).toHaveLength(3);
  });

  it('lists more than a thousand objects, in pages or at once', () => {
    const names = Array.from({ length: 1200 }, (_, index) => `many-${String(index).padStart(4, '0')}`);
    const items = names.map((name) => JSON.parse(configMap(name, {})));
    kubectl('create', 'namespace', 'many');
    kubectl.withInput(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }), 'create', '-n', 'many', '-f', '-');
    for (const size of [500, 0]) {
      const read = kubectl('get', 'cm', '-n', 'many', `--chunk-size=${size}`, '-o', 'name').stdout;
      expect(read).toBe(names.map((name) => `configmap/${name}\n`).join(''));
    }
    kubectl('delete', 'namespace', 'many', '--wait=false');
  });

  it('scales, and refuses to scale below zero', () => {
    applied(widget('scaled', { replicas: 1 }));
    expect(kubectl('scale', 'wd/scaled', '--replicas=4').stdout).toBe('widget.example.com/scaled scaled\n');
    expect(kubectl('scale', 'wd/scaled', '--replicas=5', '--current-replicas=4').code).toBe(0);
    expect(kubectl('scale', 'wd/scaled', '--replicas=6', '--current-replicas=1').code).toBe(1);
    expect(kubectl.json<{ spec: object }>('get', 'wd', 'scaled').spec).toEqual({ replicas: 5 });
  });

  it('labels, annotates, patches, replaces and edits', () => {
    applied(widget('edited', { replicas: 1, id: 'x' }));
    expect(kubectl('label', 'wd', 'edited', 'a=b').stdout).toContain('labeled');
    expect(kubectl('annotate', 'wd', 'edited', 'a=b').stdout).toMatch(/annotated?/);
    expect(
      kubectl('patch', 'wd', 'edited', '--type=json', '-p', '[{"op":"add","path":"/spec/size","value":"small"}]').code,
    ).toBe(0);
    expect(kubectl('patch', 'wd', 'edited', '--type=merge', '-p', '{"spec":{"id":"y"}}').stderr).toContain(
      'id is immutable',
    );
    expect(kubectl('patch', 'wd', 'edited', '--type=strategic', '-p', '{}').stderr).toContain('is not supported by');
    const object = kubectl.json<{ spec: Record<string, unknown> }>('get', 'wd', 'edited');
    const replaced = { ...object, spec: { ...object.spec, replicas: 9 } };
    expect(kubectl.withInput(JSON.stringify(replaced), 'replace', '-f', '-').code).toBe(0);
    const conflict = kubectl.withInput(JSON.stringify(replaced), 'replace', '-f', '-');
    expect(conflict.stderr).toContain('the object has been modified');
    const editor = join(server.directory, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/replicas: 9/replicas: 7/" "$1"\n', { mode: 0o755 });
    const editing = kubectlWith(path, server.kubeconfig, server.directory, { KUBE_EDITOR: editor });
    expect(editing('edit', 'wd', 'edited').stdout).toContain('edited');
    expect(kubectl.json<{ spec: object }>('get', 'wd', 'edited').spec).toMatchObject({ replicas: 7 });
  });

  it('creates built-in kinds from the command line, which some versions send as protobuf', () => {
    expect(kubectl('create', 'configmap', 'made', '--from-literal=a=b').stdout).toBe('configmap/made created\n');
    expect(kubectl('create', 'secret', 'generic', 'made', '--from-literal=a=b').stdout).toBe('secret/made created\n');
    expect(kubectl('get', 'secret', 'made').stdout).toMatch(/made\s+Opaque\s+1/);
    expect(kubectl('get', 'secret', 'made', '-o', 'jsonpath={.data.a}').stdout).toBe('Yg==');
    expect(kubectl('create', 'configmap', 'made').stderr).toContain('already exists');
    expect(kubectl('create', 'ns', 'made').stdout).toBe('namespace/made created\n');
    expect(kubectl('create', 'configmap', 'x', '-n', 'missing').stderr).toContain('namespaces "missing" not found');
  });

  it('waits for conditions and for deletion', async () => {
    applied(widget('waited', {}, { finalizers: ['example.com/hold'] }));
    const waiting = kubectl.start('wait', '--for=condition=Ready', 'wd/waited', '--timeout=240s');
    kubectl(
      'patch',
      'wd',
      'waited',
      '--subresource=status',
      '--type=merge',
      '-p',
      '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}',
    );
    await waiting.until('condition met');
    await waiting.stop();
    const deleting = kubectl.start('delete', 'wd', 'waited');
    await deleting.until('deleted');
    const { metadata } = kubectl.json<{ metadata: Record<string, unknown> }>('get', 'wd', 'waited');
    expect(metadata.deletionTimestamp).toBeTruthy();
    kubectl('patch', 'wd', 'waited', '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
    await expect(deleting.stop()).resolves.toContain('deleted');
    expect(kubectl('get', 'wd', 'waited').stderr).toContain('NotFound');
  });

  it('watches', async () => {
    const watching = kubectl.start('get', 'wd', '-w', '-l', 'watched');
    applied(widget('watched', { replicas: 1 }, { labels: { watched: 'yes' } }));
    await watching.until('watched   1');
    kubectl('scale', 'wd/watched', '--replicas=8');
    await watching.until('watched   8');
    const output = await watching.stop();
    expect(output.match(/NAME/g)).toHaveLength(1);
  });

  it('shows events and describes objects with their events', () => {
    applied(widget('described'));
    const { metadata } = kubectl.json<{ metadata: { uid: string } }>('get', 'wd', 'described');
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'described.1', namespace: 'default' },
      involvedObject: {
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        name: 'described',
        namespace: 'default',
        uid: metadata.uid,
      },
      reason: 'Made',
      message: 'It was made',
      type: 'Normal',
      firstTimestamp: new Date().toISOString(),
      lastTimestamp: new Date().toISOString(),
      count: 1,
    };
    expect(kubectl.withInput(JSON.stringify(event), 'create', '-f', '-').code).toBe(0);
    expect(kubectl('get', 'events').stdout).toMatch(
      /LAST SEEN\s+TYPE\s+REASON\s+OBJECT\s+MESSAGE\n\S+\s+Normal\s+Made\s+widget\/described\s+It was made/,
    );
    expect(kubectl('events', '--for', 'wd/described').stdout).toContain('It was made');
    expect(kubectl('describe', 'wd', 'described').stdout).toMatch(/Events:[\s\S]*It was made/);
  });

  it('deletes with every cascading option', () => {
    for (const cascade of ['background', 'foreground', 'orphan']) {
      applied(widget(`cascade-${cascade}`));
      const { code } = kubectl('delete', 'wd', `cascade-${cascade}`, `--cascade=${cascade}`, '--wait=false');
      expect(code).toBe(0);
    }
    expect(kubectl('get', 'wd', 'cascade-background').stderr).toContain('NotFound');
    expect(kubectl.json<{ metadata: object }>('get', 'wd', 'cascade-foreground').metadata).toMatchObject({
      finalizers: ['foregroundDeletion'],
    });
    expect(kubectl.json<{ metadata: object }>('get', 'wd', 'cascade-orphan').metadata).toMatchObject({
      finalizers: ['orphan'],
    });
    for (const name of ['a', 'b']) applied(widget(`many-${name}`, {}, { labels: { many: 'yes' } }));
    expect(kubectl('delete', 'wd', '-l', 'many').stdout.split('\n').filter(Boolean)).toHaveLength(2);
  });

  it('publishes its CRDs with the labels that other tools read', () => {
    const { metadata, spec } = kubectl.json<{ metadata: object; spec: { versions: object[] } }>(
      'get',
      'crd',
      'widgets.example.com',
    );
    expect(metadata).toMatchObject({ labels: { 'cluster.x-k8s.io/v1beta2': 'v1' } });
    expect(spec.versions).toEqual([
      expect.objectContaining({ name: 'v1', storage: true, served: true }),
      expect.objectContaining({ name: 'v1beta1', storage: false, deprecated: true }),
    ]);
    expect(kubectl('delete', 'crd', 'widgets.example.com').stderr).toContain('Error from server (Forbidden)');
  });

  describe('server-side', () => {
    const apply = (document: string, ...args: string[]) => applied(document, '--server-side', ...args);
    const managersOf = (name: string) =>
      kubectl
        .json<{ metadata: { managedFields: { manager: string; operation: string }[] } }>(
          'get',
          'wd',
          name,
          '--show-managed-fields',
        )
        .metadata.managedFields.map(({ manager, operation }) => `${manager} ${operation}`);

    it('applies, finds no difference, and changes nothing the second time', () => {
      const document = widget('server', { replicas: 2, size: 'small' });
      expect(apply(document)).toMatchObject({ code: 0, stdout: 'widget.example.com/server serverside-applied\n' });
      const before = kubectl.json('get', 'wd', 'server');
      expect(kubectl.withInput(document, 'diff', '--server-side', '-f', '-').code).toBe(0);
      expect(apply(document).code).toBe(0);
      expect(kubectl.json('get', 'wd', 'server')).toEqual(before);
      const changed = kubectl.withInput(widget('server', { replicas: 3 }), 'diff', '--server-side', '-f', '-');
      expect(changed.code).toBe(1);
      expect(changed.stdout).toMatch(/-\s+size: small/);
    });

    it('reports who owns a field, and takes it over by force', () => {
      expect(apply(widget('shared', { size: 'small' }), '--field-manager=one').code).toBe(0);
      const other = widget('shared', { size: 'large' });
      const refused = apply(other, '--field-manager=two');
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('Apply failed with 1 conflict: conflict with "one": .spec.size');
      expect(apply(other, '--field-manager=two', '--force-conflicts').code).toBe(0);
      expect(managersOf('shared')).toEqual(['two Apply']);
    });

    it('takes over what the client applied before', () => {
      const document = widget('moved', { replicas: 2, size: 'small' });
      applied(document);
      expect(apply(document).code).toBe(0);
      expect(managersOf('moved')).not.toContain('kubectl-client-side-apply Update');
      expect(apply(widget('moved', { replicas: 2 })).code).toBe(0);
      expect(kubectl.json<{ spec: object }>('get', 'wd', 'moved').spec).toEqual({ replicas: 2 });
    });
  });

  it('asks anonymous users for credentials', () => {
    const { code, stderr } = kubectl('get', 'wd', '--token=wrong');
    expect(code).toBe(1);
    expect(stderr).toMatch(/Unauthorized|must be logged in/);
  });
});
