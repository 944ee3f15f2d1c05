export const ready = 'Ready';
export const applied = 'Applied';
export const healthy = 'Healthy';
