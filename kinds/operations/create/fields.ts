import { boolean } from '../../../machinery/api/schema.ts';

export const createSpec = {
  adopted: boolean('There were machines or a control plane before the first attempt: nothing is ever torn down.'),
};
