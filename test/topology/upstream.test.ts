/** The objects of topologies against Cluster API's own code, for classes of other projects and one of ours. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue, KubeObject } from '../../machinery/api/object.ts';
import { answerOf, type Case, caseOf, comparable, objectsIn } from './case.ts';
import { casesOfClass, goldenFile, withValues } from './cases.ts';
import { moduleFolder, program, upstream, version } from './upstream.ts';

beforeAll(() => void program());

const expectSame = async (cases: Promise<Case>[]) => {
  const given = await Promise.all(cases);
  const theirs = upstream(given);
  for (const [i, one] of given.entries()) {
    const [ours, upstreams] = [answerOf(one), theirs[i]!];
    if ('error' in ours !== 'error' in upstreams) expect(ours).toEqual(upstreams);
    expect(comparable(ours), `case ${i}`).toEqual(comparable(upstreams));
  }
};

const values: Record<string, string> = {
  CLUSTER_NAME: 'it',
  NAMESPACE: 'default',
  KUBERNETES_VERSION: 'v1.35.0',
  CONTROL_PLANE_MACHINE_COUNT: '3',
  WORKER_MACHINE_COUNT: '2',
};
const filledIn = (text: string): string =>
  text.replace(
    /\$\{(\w+)(?::?[=-]([^}]*))?\}/g,
    (_, name: string, other?: string) => values[name] ?? other ?? name.toLowerCase().replaceAll('_', '-'),
  );
const objectsOf = (...paths: string[]): KubeObject[] =>
  paths.flatMap((path) => objectsIn(filledIn(readFileSync(path, 'utf8'))));

describe('the class beside this file', () => {
  it.each(casesOfClass())('%s', async (name, one) => {
    await expectSame([one]);
    const [theirs] = upstream([await one]);
    await expect(`${JSON.stringify(comparable(theirs!), null, 2)}\n`).toMatchFileSnapshot(goldenFile(name));
  });
});

describe('classes of the AWS provider', () => {
  const folder = join(moduleFolder('sigs.k8s.io/cluster-api-provider-aws/v2', 'v2.11.1'), 'templates');
  const templates = readdirSync(folder).filter((name) => name.endsWith('clusterclass.yaml') && !name.includes('eks'));
  const settings: Record<string, JsonValue>[] = [
    {},
    { region: 'eu-west-1', sshKeyName: 'mine' },
    { controlPlaneMachineType: 'm5.xlarge', workerMachineType: 'c5.large', bastionEnabled: true, vpcAZUsageLimit: 1 },
    { identityRef: { kind: 'AWSClusterStaticIdentity', name: 'other' } },
  ];
  it.each(templates)('%s', (name) => {
    const objects = objectsOf(join(folder, name));
    const defined = (objects.find(({ kind }) => kind === 'ClusterClass')!.spec as { variables: { name: string }[] })
      .variables;
    const known = (of: Record<string, JsonValue>) =>
      Object.fromEntries(Object.entries(of).filter(([key]) => defined.some((one) => one.name === key)));
    return expectSame(settings.map((of) => caseOf(objects, withValues(known(of)))));
  });
});

it('the in-memory class of Cluster API', () => {
  const folder = join(moduleFolder('sigs.k8s.io/cluster-api/test', version), 'infrastructure/docker/templates');
  const objects = objectsOf(
    join(folder, 'cluster-template-in-memory.yaml'),
    join(folder, 'clusterclass-in-memory.yaml'),
  );
  return expectSame([caseOf(objects, withValues({}))]);
});
