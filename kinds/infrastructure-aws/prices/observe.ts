/** Reads the templates of the pools that Capstan scales, and the prices and zones of their machines. */

import { type Context, found, type Reader } from '../../../machinery/api/reconcile.ts';
import { boundsOf } from '../../common/autoscale/annotations.ts';
import { declaredBy, type PlanWithPools } from '../../common/autoscale/plan-entry.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { namesKind } from '../../core/contract/named.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import { awsCluster as awsClusterKind } from '../aws-cluster/kind.ts';
import { isSpot } from '../aws-machine/market.ts';
import { askNamedSubnets, zonesToTry } from '../aws-machine/placement.ts';
import type { AWSMachineSpec } from '../aws-machine/schema.ts';
import type { AWSMachineTemplate } from '../aws-machine-template/schema.ts';
import { asking } from '../engine/ask.ts';
import { type OnDemandPrice, readOnDemandPrice } from './on-demand.ts';
import { readSpotPrices, type SpotPrices } from './spot.ts';

/** As the autoscaling kinds define it. */
export type ScalingPlan = PlanWithPools;

export interface Observed {
  /** Absent outside AWS, and while the infrastructure object does not exist. */
  region?: string;
  /** By name; a template that a pool names may be missing. */
  templates: readonly AWSMachineTemplate[];
  /** A template that a pool names does not exist yet. */
  isMissing: boolean;
  /** By instance type. */
  onDemand: ReadonlyMap<string, OnDemandPrice | undefined>;
  /** By instance type: of those that pools buy in the spot market. */
  spot: ReadonlyMap<string, SpotPrices>;
  /** By template: the zones of its machines, or why they could not be read. */
  zones: ReadonlyMap<string, Zones>;
}

export type Zones = { zones: string[]; refused?: string };

const nothing: Observed = {
  templates: [],
  isMissing: false,
  onDemand: new Map(),
  spot: new Map(),
  zones: new Map(),
};
const templateKind = 'AWSMachineTemplate';

const templatesOf = (plan: ScalingPlan, read: Reader): Pick<Observed, 'templates' | 'isMissing'> => {
  const { namespace = '' } = plan.metadata;
  const cluster = plan.spec?.clusterName ?? '';
  const deployments = found(read.list('MachineDeployment', { namespace, cluster })) ?? [];
  const references = deployments
    .filter((deployment) => boundsOf(declaredBy(plan, deployment)) !== undefined && !isDeleting(deployment))
    .map(({ spec }) => spec!.template.spec.infrastructureRef);
  const names = new Set(references.flatMap(({ kind, name }) => (kind === templateKind ? [name] : [])));
  const reads = [...names].sort().map((name) => read.get(templateKind, { namespace, name }));
  return {
    templates: reads.flatMap((one) => found(one) ?? []).filter((template) => !isDeleting(template)),
    isMissing: reads.some(({ state }) => state === 'absent'),
  };
};

const zonesOf = ({ spec }: AWSCluster): string[] =>
  (spec?.network?.subnets ?? []).flatMap(({ availabilityZone }) => availabilityZone || []);

/** Where the launches of a template's machines would go now. */
const readZones = (read: Reader, region: string, template: AWSMachineTemplate, { spec }: AWSCluster): Zones => {
  const { vpc, subnets = [] } = spec?.network ?? {};
  const machine = template.spec!.template.spec;
  const cloud = asking(read, region);
  const named = askNamedSubnets(cloud, machine, subnets);
  const refused = cloud.unreadable();
  return {
    zones: zonesToTry({ spec: machine, subnets, vpcId: vpc?.id, named }),
    ...(refused !== undefined && { refused }),
  };
};

const typesOf = (specs: readonly AWSMachineSpec[]): string[] =>
  [...new Set(specs.flatMap(({ instanceType }) => instanceType || []))].sort();

const pricesOf = (
  templates: readonly AWSMachineTemplate[],
  region: string,
  awsCluster: AWSCluster,
  read: Reader,
  now: number,
): Pick<Observed, 'onDemand' | 'spot'> => {
  const specs = templates.flatMap(({ spec }) => spec?.template.spec ?? []);
  const zones = zonesOf(awsCluster);
  return {
    onDemand: new Map(typesOf(specs).map((type) => [type, readOnDemandPrice(read, region, type)])),
    spot: new Map(
      typesOf(specs.filter(isSpot)).map((instanceType) => [
        instanceType,
        readSpotPrices(read, region, { instanceType, zones, now }),
      ]),
    ),
  };
};

export const observe = (plan: ScalingPlan, read: Reader, { withheld, now }: Context): Observed => {
  const { namespace = '' } = plan.metadata;
  const name = plan.spec?.clusterName ?? '';
  const cluster = found(read.get('Cluster', { namespace, name }));
  const ref = cluster?.spec?.infrastructureRef;
  if (!cluster || withheld || isDeleting(cluster) || isDeleting(plan) || !ref || !namesKind(ref, awsClusterKind))
    return nothing;
  const of = templatesOf(plan, read);
  const awsCluster = found(read.get('AWSCluster', { namespace, name: ref.name }));
  const region = awsCluster?.spec?.region;
  if (!awsCluster || !region) return { ...nothing, ...of };
  const zones = new Map(
    of.templates.map((template) => [template.metadata.name, readZones(read, region, template, awsCluster)]),
  );
  return { ...of, region, zones, ...pricesOf(of.templates, region, awsCluster, read, now) };
};
