import { describe, expect, it } from 'vitest';
import type { Installation } from '../kinds/capstan/installation/index.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { ApiClient } from './client.ts';
import { renderOrphans, thaw } from './installation.ts';

const installation = (status: Installation['status']): Installation => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'Installation',
  metadata: { name: 'capstan' },
  ...(status && { status }),
});
const lastTransitionTime = '2026-01-01T00:00:00Z';
const now = Date.parse(lastTransitionTime) + 200_000;
const shown = (status: object) => renderOrphans(installation({ lastTransitionTime, ...status }), undefined, now);
const orphans = [
  { type: 'instance', id: 'i-1', region: 'eu-central-1', clusterUid: 'c', machineUid: 'm', name: 'worker' },
  { type: 'vpc', id: 'vpc-1', region: 'eu-central-1', clusterUid: 'gone' },
];

describe('orphans list', () => {
  it('says for each resource which owner is missing and what to do', () => {
    expect(
      renderOrphans(installation({ orphanCount: 2, orphans, lastTransitionTime }), undefined, now)
        .split('\n')
        .slice(0, 3),
    ).toEqual([
      'TYPE       ID      REGION         NAME     LOST',
      'instance   i-1     eu-central-1   worker   AWSMachine m',
      'vpc        vpc-1   eu-central-1            Cluster gone',
    ]);
    expect(shown({ orphanCount: 2, orphans })).toContain('Capstan does not touch them');
    expect(shown({ orphanCount: 900, orphans })).toContain('The first 2 are shown');
  });
  it('prints only JSON with -o json', () => {
    const printed = renderOrphans(installation({ orphanCount: 2, orphans, lastTransitionTime }), 'json', now);
    expect(JSON.parse(printed)).toEqual({ lastTransitionTime, items: orphans, kept: [], unreadable: [] });
  });
  it('names the installation that a cluster was moved from', () => {
    const theirs = orphans.map((one) => ({ ...one, installation: 'blue' }));
    expect(shown({ orphanCount: 2, orphans: theirs })).toContain('Cluster gone of installation blue');
    expect(shown({ orphanCount: 2, orphans: theirs })).toContain('carry the tag of installation blue, from which');
    expect(shown({ orphanCount: 2, orphans: theirs })).toContain('leave them alone');
    expect(shown({ orphanCount: 3, orphans: [...orphans, ...theirs] })).toContain(
      'carry the tag of this installation, or the tag of installation blue',
    );
    expect(shown({ orphanCount: 2, orphans })).not.toContain('moved');
  });
  it('shows copies of disks with their end, and gives no advice to delete them', () => {
    const copy = { type: 'snapshot', region: 'r', cluster: 'c', of: '/dev/sda1 of EC2 instance i-1' };
    const since = '2026-11-30T00:00:00Z';
    const kept = [
      { ...copy, id: 'snap-1', since, until: '2026-12-30T00:00:00Z' },
      { ...copy, id: 'snap-2', since, fault: 'its tag is no time: "soon"' },
    ];
    const printed = shown({ kept });
    expect(printed).toMatch(
      /No orphans found\.\n[\s\S]*KEPT UNTIL\n.*snap-1 +r +c +\/dev\/sda1 of EC2 instance i-1 +2026-11-30T00:00:00Z +2026-12-30T00:00:00Z/,
    );
    expect(printed).toContain('snap-2 is never deleted: its tag is no time: "soon".');
    expect(printed).not.toContain('delete them in the AWS account');
  });

  it('omits advice when there are no orphans, but names unreadable regions', () => {
    expect(shown({})).toBe('No orphans found.\nEvery search of the account since 3m20s ago found the same.');
    expect(shown({ unreadable: ['us-east-1'] })).toContain('Could not look into us-east-1');
  });
  it('reports a missing owner before its resources count as orphans', () => {
    const since = lastTransitionTime;
    const printed = shown({ missing: [{ uid: 'm', since }] });
    expect(printed).toContain(`1 owner is missing since ${since}`);
    expect(printed).not.toContain('No orphans');
    expect(shown({ missing: [{ uid: 'm', since }], orphanCount: 2, orphans })).not.toContain('is missing since');
  });
  it('distinguishes a search that has not run from one that found nothing', () => {
    for (const status of [undefined, { orphanCount: 0 }]) {
      const printed = renderOrphans(installation(status), undefined, now);
      expect(printed).toMatch(/^The account has not been searched for orphans yet/);
      expect(printed).not.toMatch(/No orphans|No resources/);
    }
    expect(JSON.parse(renderOrphans(installation({}), 'json', now))).not.toHaveProperty('lastTransitionTime');
  });
});

describe('thaw', () => {
  const frozen = { id: 'abcd', reason: 'ObjectsOlder' as const };
  /** A control plane that lifts the freeze it is asked to lift. */
  const clientOf = (clusters: Partial<KubeObject['metadata']>[]) => {
    const patches: unknown[] = [];
    const answer = async (method: string, path: string, options?: { body?: string }): Promise<unknown> => {
      if (method === 'PATCH') return patches.push(JSON.parse(options!.body!));
      if (path.endsWith('/clusters'))
        return { items: clusters.map((metadata) => ({ metadata: { namespace: 'default', name: 'c', ...metadata } })) };
      if (path.endsWith('/machines')) return { items: [] };
      return installation(patches.length > 0 ? {} : { frozen });
    };
    const client = { json: answer, find: (path: string) => answer('GET', path) } as unknown as ApiClient;
    return { client, patches };
  };

  it('lifts the freeze that it read', async () => {
    const { client, patches } = clientOf([{}]);
    expect(await thaw(client)).toContain('Freeze abcd (ObjectsOlder) is lifted');
    expect(patches).toEqual([{ spec: { resume: 'abcd' } }]);
  });
  it('needs consent while objects are being restored', async () => {
    const { client, patches } = clientOf([]);
    const find = async (path: string) => {
      const found = (await client.find(path)) as Installation;
      return {
        ...found,
        metadata: {
          name: 'capstan',
          annotations: { 'capstan.dev/restoring': 'capstan restore --from-table before --keep-newer --yes' },
        },
      };
    };
    const restoring = { ...client, find } as unknown as ApiClient;
    await expect(thaw(restoring)).rejects.toThrow('capstan restore --from-table before --keep-newer --yes');
    expect(patches).toEqual([]);
    expect(await thaw(restoring, { yes: true })).toContain('is lifted');
  });
  // An installation without clusters sleeps, and Lambda needs a minute to resume polling.
  it('waits for an installation that must wake first', async () => {
    const { client } = clientOf([]);
    const find = client.find.bind(client);
    let looks = 0;
    const asleep = { ...client, find: async (path: string) => (looks++ < 400 ? installation({ frozen }) : find(path)) };
    expect(await thaw(asleep as ApiClient, { pause: 0 })).toContain('is lifted');
  });
  it('reports that the request stands when the control plane does not answer in time', async () => {
    const { client } = clientOf([]);
    const deaf = { ...client, find: async () => installation({ frozen }) };
    await expect(thaw(deaf as unknown as ApiClient, { pause: 0 })).rejects.toThrow(
      /is told to end.*kubectl get installation/s,
    );
  });
  it.each([
    { what: 'deleted', cluster: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
    { what: 'torn down', cluster: { annotations: { 'capstan.dev/target': 'Nothing' } } },
  ])('needs consent while a cluster is being $what', async ({ cluster }) => {
    const { client, patches } = clientOf([cluster]);
    await expect(thaw(client)).rejects.toThrow('Cluster default/c');
    expect(patches).toEqual([]);
    expect(await thaw(client, { yes: true })).toContain('is lifted');
  });
});
