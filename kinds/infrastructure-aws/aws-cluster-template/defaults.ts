import { defaultedSpec } from '../aws-cluster/defaults.ts';
import type { AWSClusterSpec } from '../aws-cluster/schema.ts';
import type { AWSClusterTemplate } from './schema.ts';

const vpc = {
  availabilityZoneSelection: 'Ordered',
  availabilityZoneUsageLimit: 3,
  subnetSchema: 'PreferPrivate',
} as const;

/**
 * Patches of a class replace defaults, which they cannot where a field is absent. The AWS provider
 * writes these out; an AWSCluster gets them when its network is made.
 */
const writtenOut = (spec: AWSClusterSpec): AWSClusterSpec => {
  const { controlPlaneLoadBalancer, secondaryControlPlaneLoadBalancer, ...others } = defaultedSpec(spec);
  const loadBalancer = { crossZoneLoadBalancing: false };
  return {
    ...others,
    bastion: { enabled: false, ...others.bastion },
    controlPlaneLoadBalancer: { ...loadBalancer, ...controlPlaneLoadBalancer },
    ...(secondaryControlPlaneLoadBalancer && {
      secondaryControlPlaneLoadBalancer: { ...loadBalancer, ...secondaryControlPlaneLoadBalancer },
    }),
    network: { ...others.network, vpc: { ...vpc, ...others.network?.vpc } },
  };
};

export const defaultedTemplate = <T extends { spec?: AWSClusterSpec | undefined }>(template: T): T =>
  template.spec ? { ...template, spec: writtenOut(template.spec) } : template;

export const withDefaults = (object: AWSClusterTemplate): AWSClusterTemplate => {
  const { template } = object.spec ?? {};
  return template ? { ...object, spec: { ...object.spec, template: defaultedTemplate(template) } } : object;
};
