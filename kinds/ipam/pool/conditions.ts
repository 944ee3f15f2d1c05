/** True while no address is free. */
export const exhausted = 'Exhausted';
