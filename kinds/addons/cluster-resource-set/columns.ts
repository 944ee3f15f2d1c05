import { age, conditionColumn, pausedColumn } from '../../common/columns.ts';

export const columns = [
  conditionColumn('Applied', 'ResourcesApplied', 'Whether everything was applied everywhere.'),
  pausedColumn,
  age,
];
export const columnsV1beta1 = [age];
