/** The templates that the AWS provider's releases carry: those whose kinds are served become clusters. */
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../cli/convert/changes.ts';
import { convert, joined } from '../../cli/convert/convert.ts';
import { outcomeOf } from '../../cli/doctor/check.ts';
import { checksOfManifests } from '../../cli/doctor/manifests.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { documentValue, yamlDocuments } from '../../machinery/api/yaml.ts';
import { go } from '../go.ts';
import { createWorld, type World } from '../system/world.ts';

/** The newest patches of their minor versions that the module proxy has. */
const releases = ['v2.0.2', 'v2.5.2', 'v2.6.1', 'v2.7.1', 'v2.8.4', 'v2.10.0', 'v2.11.1'];
const values: Record<string, string> = {
  CLUSTER_NAME: 'it',
  AWS_REGION: 'us-east-1',
  AWS_AVAILABILITY_ZONE: 'us-east-1a',
  AWS_SSH_KEY_NAME: 'default',
  AWS_CONTROL_PLANE_MACHINE_TYPE: 't3.large',
  AWS_NODE_MACHINE_TYPE: 't3.large',
  KUBERNETES_VERSION: 'v1.32.0',
  CONTROL_PLANE_MACHINE_COUNT: '1',
  WORKER_MACHINE_COUNT: '1',
  AWS_S3_BUCKET_NAME: 'bucket',
  CNI_RESOURCES: '{}',
  AWS_ACCOUNT_ID: '123456789012',
};
const filledIn = (text: string): string =>
  text.replace(
    /\$\{(\w+)(?::?[=-]([^}]*))?\}/g,
    (_, name: string, other?: string) => values[name] ?? other ?? name.toLowerCase().replaceAll('_', '-'),
  );

const templatesOf = (release: string): { name: string; text: string }[] => {
  const module = `sigs.k8s.io/cluster-api-provider-aws/v2@${release}`;
  const { Dir } = JSON.parse(go(tmpdir(), 'mod', 'download', '-json', module)) as { Dir: string };
  return readdirSync(join(Dir, 'templates'))
    .filter((name) => /^cluster-template.*\.yaml$/.test(name))
    .map((name) => ({ name, text: filledIn(readFileSync(join(Dir, 'templates', name), 'utf8')) }));
};

const objectsIn = (text: string): KubeObject[] =>
  yamlDocuments(text)
    .map((document) => documentValue(document) as KubeObject | null)
    .filter((object) => object !== null);

/** Kinds that are not served, as the doctor names them. */
const unservedIn = async (text: string): Promise<string[]> => {
  const findings = await Promise.all(checksOfManifests('it.yaml', [text]).map(outcomeOf));
  return findings.filter(({ level }) => level === 'failed').map(({ says }) => says);
};

/** Templates before 2.8 name no type of load balancer; the old default is not what this test is about. */
const withType = (object: KubeObject): KubeObject => {
  if (object.kind !== 'AWSCluster') return object;
  const spec = object.spec as { controlPlaneLoadBalancer?: object };
  const controlPlaneLoadBalancer = { loadBalancerType: 'nlb', ...spec.controlPlaneLoadBalancer };
  return { ...object, spec: { ...spec, controlPlaneLoadBalancer } };
};

/** Flavours of served kinds that cannot come up, and what the Cluster says of them, or the refusal of an object. */
const obstacles = [
  // Its machines have no primary IPv6 address, which targets of this family need.
  { flavour: /template-ipv6/, says: /do not have a primary IPv6 address/ },
  // The ARNs of its roles are values that this test does not have.
  { flavour: /multitenancy/, says: /has no ARN of a role/ },
  { flavour: /flatcar/, says: /Ignition is not supported/ },
  // Its manager selects nodes by the label `master`, which kubeadm stopped setting with v1.24.
  { flavour: /external-cloud-provider/, says: /waits for a cloud controller manager/ },
];

let world: World | undefined;
afterEach(async () => {
  await world?.end();
  world = undefined;
});

describe.each(releases)('templates of %s', (release) => {
  it.each(templatesOf(release))('$name', async ({ name, text }) => {
    const { texts, changes } = await convert([{ name, text }]);
    const unserved = await unservedIn(joined(texts));
    if (unserved.length > 0) {
      for (const says of unserved) expect(says).toMatch(/^\w+ is not served by Capstan/);
      return;
    }
    expect(exitCodeOf(changes)).toBe(0);
    const at = await createWorld();
    world = at;
    const obstacle = obstacles.find((one) => one.flavour.test(name));
    const refusals: string[] = [];
    for (const object of objectsIn(joined(texts))) {
      const refusal = await at.apply(withType(object)).then(
        () => undefined,
        (error: unknown) => String(error),
      );
      if (refusal !== undefined) refusals.push(refusal);
    }
    if (refusals.length > 0) {
      for (const refusal of refusals) expect(refusal).toMatch(obstacle?.says ?? /^$/);
      return;
    }
    const cluster = () => at.condition('Cluster', values.CLUSTER_NAME!, 'Available');
    const isAsExpected = () => (obstacle ? obstacle.says.test(cluster()?.message ?? '') : cluster()?.status === 'True');
    await at.until(obstacle ? `it says ${obstacle.says}` : 'it is Available', isAsExpected, 30);
  });
});
