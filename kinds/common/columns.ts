import { age, column } from '../define.ts';

const condition = (type: string) => `.status.conditions[?(@.type=="${type}")].status`;
/** A column with the status of a condition. */
export const conditionColumn = (name: string, type: string, description: string, priority?: number) =>
  column(name, 'string', condition(type), description, priority);

export const clusterColumn = column('Cluster', 'string', '.spec.clusterName', 'Cluster this belongs to.');
export const pausedColumn = conditionColumn('Paused', 'Paused', 'Whether its controllers leave it alone.', 10);
export const counter = (name: string, path: string, description: string, priority?: number) =>
  column(name, 'integer', path, description, priority);
export const phaseColumn = column('Phase', 'string', '.status.phase', 'Where in its life it is.');
export { age, column };
