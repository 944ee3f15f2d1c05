import type { ClusterOperation } from '../cluster-operation/schema.ts';

export const isRestore = ({ spec }: Pick<ClusterOperation, 'spec'>): boolean => spec?.type === 'restore';
