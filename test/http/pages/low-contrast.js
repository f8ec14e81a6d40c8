/**
 * Runs in the browser: elements whose own text has a contrast under 4.5 with what lies behind it (WCAG 2.2, 1.4.3).
 */
function lowContrast() {
  const channels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number)
  const luminance = (color) => {
    const [r, g, b] = channels(color).map((value) => {
      const share = value / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor
      if (channels(color)[3] !== 0) return color
    }
    return 'rgb(255, 255, 255)'
  }
  const hasOwnText = (element) =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '')
  return [...document.querySelectorAll('body *')].filter(hasOwnText).flatMap((element) => {
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(behind(element))]
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    return ratio >= 4.5 ? [] : [`${element.tagName}.${element.className} ${ratio.toFixed(2)}`]
  })
}

lowContrast()
