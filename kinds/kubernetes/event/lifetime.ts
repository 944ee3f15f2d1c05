/** Seconds, as the Kubernetes API server's default. */
export const eventsLast = 3600;
