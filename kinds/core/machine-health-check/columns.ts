import { age, clusterColumn, column, counter, pausedColumn } from '../../common/columns.ts';

const expected = (name: string) => counter(name, '.status.expectedMachines', 'Machines that are checked.');
const healthy = (name: string) => counter(name, '.status.currentHealthy', 'Checked machines that are healthy.');

export const columns = [clusterColumn, expected('Replicas'), healthy('Healthy'), pausedColumn, age];
export const columnsV1beta1 = [
  clusterColumn,
  expected('ExpectedMachines'),
  column('MaxUnhealthy', 'string', '.spec.maxUnhealthy', 'Above so many unhealthy machines none is remediated.'),
  healthy('CurrentHealthy'),
  age,
];
