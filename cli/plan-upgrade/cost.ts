/** What an upgrade costs beyond what the cluster costs anyway: machines that run beside those they replace. Pure. */
import { amountOf } from '../../kinds/common/proportion.ts';
import { priceOf } from '../../kinds/core/contract/price.ts';
import { tablePrice } from '../../kinds/infrastructure-aws/prices/table-price.ts';
import type { Stage } from '../../kinds/operations/upgrade-check/checks/plan.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { type Beginning, templateOfControlPlane, templateOfPool } from './begin.ts';

export interface Cost {
  /** US dollars, without those whose price is unknown. */
  dollars: number;
  /** Stages of the plan whose machines have no known price. */
  unpriced: string[];
}

/** Dollars an hour: as the template reports it, else of the compiled table of on-demand prices. */
const hourly = (template: KubeObject | undefined, region: string | undefined): number | undefined => {
  const reported = priceOf(template)?.dollarsPerHour;
  if (reported !== undefined) return Number(reported);
  const { instanceType } =
    (template?.spec as { template?: { spec?: { instanceType?: string } } } | undefined)?.template?.spec ?? {};
  return region === undefined || instanceType === undefined ? undefined : tablePrice(region, instanceType);
};

type Rolling = { rollout?: { strategy?: { rollingUpdate?: { maxSurge?: number | string } } } };

/** Machines that run beside the old ones at a time. */
const surgeOf = (object: KubeObject | undefined, count: number): number => {
  const { maxSurge } = (object?.spec as Rolling | undefined)?.rollout?.strategy?.rollingUpdate ?? {};
  return Math.min(count, amountOf(maxSurge, count, Math.ceil, 1));
};

export const costOf = (stages: readonly Stage[], beginning: Beginning, region: string | undefined): Cost => {
  const cost: Cost = { dollars: 0, unpriced: [] };
  for (const { of, machines, seconds } of stages) {
    const pool = beginning.machineDeployments.find(({ metadata }) => metadata.name === of);
    const name = pool ? templateOfPool(pool) : templateOfControlPlane(beginning);
    const surge = surgeOf(pool ?? beginning.controlPlane, machines.length);
    const price = hourly(
      beginning.templates.find(({ metadata }) => metadata.name === name),
      region,
    );
    if (price === undefined) cost.unpriced.push(of);
    else cost.dollars += (seconds / 3600) * surge * price;
  }
  return cost;
};

export const renderCost = ({ dollars, unpriced }: Cost, stages: readonly Stage[]): string[] => {
  if (stages.length === 0) return [];
  const unknown = unpriced.length > 0 ? `The price of ${unpriced.join(', ')} is unknown.` : undefined;
  if (unpriced.length === stages.length) return [`${unknown} So what the upgrade costs is not known.`];
  const sum = dollars < 0.005 ? 'less than a cent' : `about $${dollars.toFixed(2)}`;
  const about = `New machines run beside the old ones while they are replaced, which costs ${sum}. Soaks cost no more.`;
  return [unknown === undefined ? about : `${about} ${unknown}`];
};
