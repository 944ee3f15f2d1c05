import { age, clusterColumn } from '../../common/columns.ts';

export const columns = [clusterColumn, age];
export const columnsV1beta1 = [age];
