/** The rows of the pools that Capstan scales. Pure. */
import type { ScalingPlan } from '../../kinds/autoscaling/scaling-plan/index.ts';
import { row, type TreeNode } from './node.ts';

type Pool = NonNullable<NonNullable<ScalingPlan['status']>['pools']>[number];

const sizesOf = ({ min, max, schedule = [], sizesUntil }: Pool): string => {
  const why = schedule.length > 0 ? ` by schedule ${schedule.join(' and ')}` : '';
  return `${min} to ${max} replicas${why}${sizesUntil ? ` until ${sizesUntil}` : ''}`;
};

const costOf = ({ dollarsPerHour, price }: Pool): string[] =>
  dollarsPerHour === undefined ? [] : [`$${dollarsPerHour} an hour, $${price} each`];

const poolRow = (pool: Pool): TreeNode => ({
  ...row(`Pool/${pool.pool.slice(pool.pool.lastIndexOf('/') + 1)}`),
  message: [sizesOf(pool), ...costOf(pool), ...(pool.blocked ? [`not scaled up: ${pool.blocked}`] : [])].join('; '),
});

export const poolRows = ({ status }: ScalingPlan): TreeNode[] => (status?.pools ?? []).map(poolRow);
