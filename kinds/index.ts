/** Every kind with its definition, in discovery order. */
import { definitionOf } from '../machinery/api/kind.ts';
import { kindsOnDemand } from './on-demand.ts';

export const kinds = await Promise.all(kindsOnDemand.map(definitionOf));
