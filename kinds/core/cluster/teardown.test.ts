import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  awsCluster,
  cluster,
  controlPlane,
  endpoint,
  gone,
  is,
  machine,
  named,
  owner,
  plan,
  under,
} from './cluster.fixture.ts';
import type { Observed } from './observe.ts';

describe('a Cluster that is torn down', () => {
  const filled = JSON.stringify({ controlPlaneEndpoint: endpoint });
  const built = (annotations: Record<string, string> = { 'capstan.dev/filled': filled }) =>
    named(annotations, {
      spec: { ...cluster().spec, controlPlaneEndpoint: endpoint },
      status: {
        phase: 'Provisioned',
        initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
      },
    });
  const emptyInfrastructure = is(awsCluster({ spec: {}, status: { ready: false } }));
  const emptyControlPlane = is(controlPlane({ status: {} }));
  const torn: Partial<Observed> = {
    cluster: built(),
    ...under('Nothing', built()),
    infrastructure: emptyInfrastructure,
    controlPlane: emptyControlPlane,
    machines: is([]),
    snapshot: undefined,
  };
  const givenMachine = (status: object): KubeObject => ({
    ...machine('mine'),
    metadata: { ...machine('mine').metadata, ownerReferences: [owner] },
    spec: { clusterName: 'c', bootstrap: {}, infrastructureRef: {} },
    status,
  });
  const givesBack = { metadata: { annotations: { 'capstan.dev/filled': null } }, spec: { controlPlaneEndpoint: null } };

  it.each<{ rule: string; over: Partial<Observed>; forgets: boolean }>([
    { rule: 'resets its status when nothing is left', over: {}, forgets: true },
    { rule: 'resets its status without infrastructure', over: { infrastructure: gone }, forgets: true },
    {
      rule: 'keeps its endpoint while the infrastructure has one',
      over: {
        infrastructure: is(awsCluster({ status: { ready: false } }, { annotations: { 'capstan.dev/filled': filled } })),
      },
      forgets: false,
    },
    {
      rule: 'does not wait for a user-provided endpoint',
      over: { infrastructure: is(awsCluster({ status: { ready: false } })) },
      forgets: true,
    },
    {
      rule: 'resets that it needed no infrastructure',
      over: {
        infrastructure: undefined,
        cluster: {
          ...built(),
          spec: { controlPlaneRef: cluster().spec!.controlPlaneRef!, controlPlaneEndpoint: endpoint },
        },
      },
      forgets: true,
    },
    { rule: 'waits for the infrastructure', over: { infrastructure: is(awsCluster({ spec: {} })) }, forgets: false },
    {
      rule: 'never treats an unreadable part as absent',
      over: { infrastructure: { state: 'unreadable', reason: 'throttled' } },
      forgets: false,
    },
    { rule: 'waits for the control plane', over: { controlPlane: is(controlPlane()) }, forgets: false },
    { rule: 'waits for Machines that were created for it', over: { machines: is([machine('m')]) }, forgets: false },
    {
      rule: 'waits for a user-created Machine to release its host',
      over: { machines: is([givenMachine({ nodeRef: { name: 'n' } })]) },
      forgets: false,
    },
    {
      rule: 'does not wait for the deletion of a user-created Machine',
      over: { machines: is([givenMachine({})]) },
      forgets: true,
    },
    { rule: 'resets nothing when the target is Build', over: { withheld: undefined }, forgets: false },
    { rule: 'resets nothing on Hold', over: under('Hold', built()), forgets: false },
  ])('$rule', ({ over, forgets }) => {
    const { intent, status } = plan({ ...torn, ...over });
    expect(intent).toEqual(forgets ? givesBack : undefined);
    expect(status?.initialization === undefined && status?.failureDomains === undefined).toBe(forgets);
    expect(status?.phase).toBe(forgets ? 'Provisioning' : 'Provisioned');
  });

  it('keeps a user-provided endpoint', () => expect(plan({ ...torn, cluster: built({}) }).intent).toEqual({}));
  it('copies no endpoint', () => {
    const fresh = { ...torn, cluster: named(), infrastructure: is(awsCluster()) };
    expect(plan(fresh).intent).toBeUndefined();
  });
});
