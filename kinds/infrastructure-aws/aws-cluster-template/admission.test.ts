import { describe, expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import { awsClusterTemplate } from './index.ts';
import type { AWSClusterTemplate } from './schema.ts';

const of = (spec: object, annotations = {}): AWSClusterTemplate => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSClusterTemplate',
  metadata: { name: 'quick-start', namespace: 'default', annotations },
  spec: { template: { spec } },
});
const user = { username: 'user', groups: [] };
const creation: Admission = { operation: 'create', user, dryRun: false };
const faults = (object: AWSClusterTemplate, admission: Admission) =>
  awsClusterTemplate.validate!(object, admission).map(({ field }) => field);

describe('an AWSClusterTemplate', () => {
  it('has the defaults of an AWSCluster', () => {
    const { spec } = awsClusterTemplate.default!(of({ region: 'eu-west-1' }), creation) as AWSClusterTemplate;
    expect(spec?.template.spec).toMatchObject({
      region: 'eu-west-1',
      identityRef: { kind: 'AWSClusterControllerIdentity', name: 'default' },
      controlPlaneLoadBalancer: { scheme: 'internet-facing' },
    });
  });
  it('writes out the defaults that patches of a class replace', () => {
    const { spec } = awsClusterTemplate.default!(of({}), creation) as AWSClusterTemplate;
    expect(spec?.template.spec).toMatchObject({
      bastion: { enabled: false },
      controlPlaneLoadBalancer: { crossZoneLoadBalancing: false },
      network: {
        vpc: { availabilityZoneSelection: 'Ordered', availabilityZoneUsageLimit: 3, subnetSchema: 'PreferPrivate' },
      },
    });
  });
  it('may be applied again that an earlier version stored with fewer defaults', () => {
    const given = of({ region: 'a', bastion: { disableIngressRules: true } });
    const applied = awsClusterTemplate.default!(given, creation) as AWSClusterTemplate;
    expect(faults(applied, { operation: 'update', user, dryRun: false, old: given })).toEqual([]);
  });
  it('is checked as an AWSCluster', () =>
    expect(faults(of({ controlPlaneEndpoint: { host: 'x', port: 70000 } }), creation)).toEqual([
      'spec.template.spec.controlPlaneEndpoint.port',
    ]));
  it('is immutable but for dry runs of the topology controller', () => {
    const update = { operation: 'update' as const, user, old: of({ region: 'a' }) };
    expect(faults(of({ region: 'b' }), { ...update, dryRun: false })).toEqual(['spec']);
    const trial = of({ region: 'b' }, { 'topology.cluster.x-k8s.io/dry-run': '' });
    expect(faults(trial, { ...update, dryRun: true })).toEqual([]);
  });
});
