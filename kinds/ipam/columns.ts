import { column } from '../common/columns.ts';

export const poolColumns = [
  column('Pool Name', 'string', '.spec.poolRef.name', 'Name of the pool.'),
  column('Pool Kind', 'string', '.spec.poolRef.kind', 'Kind of the pool.'),
];
